/**
 * Requests that only a raw socket can send: malformed, too large, or without a Host. Each is answered in the documented
 * failure shape with the common headers.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { assertLacks, everyRight, openAs, openSharedWorld, prefix } from "../../_setup.ts";
import { ask, assertRefused, Connection, closing } from "../_raw.ts";
import { answerTo, inTime, openServer, requestFor } from "../_server.ts";

const shared = openSharedWorld({ transport: "socket" });

describe("the connection of a refused request", () => {
  for (const [what, bytes] of [
    ["too many headers", `GET / HTTP/1.1\r\nHost: a\r\n${"a: b\r\n".repeat(100)}\r\n`],
    ["too long a path", `GET /${"x".repeat(8000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ["no Host", "GET / HTTP/1.1\r\n\r\n"],
    ["an invalid Host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"],
    ["too long a Host", `GET / HTTP/1.1\r\nHost: ${"a".repeat(1001)}\r\n\r\n`],
    ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["garbage", "garbage\r\n\r\n"],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ] as const) {
    it(`a request with ${what} closes its connection, so that the bytes after it are no request`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
      const change = `GET ${prefix}/${token}/targetlist/add?name=Mallory HTTP/1.1\r\nHost: a\r\n\r\n`;
      const { headers } = await ask(world.url, bytes + change);
      assert.equal(headers.get("connection"), "close");
      assert.deepEqual(await world.ok(token, "/targetlist"), []);
    });
  }
});

describe("a request that is not valid HTTP", () => {
  const malformed = [
    ["no request line", "garbage\r\n\r\n"],
    ["no path", "GET\r\n\r\n"],
    ["an unknown protocol", `GET /player FTP/9.9\r\n${closing}`],
    ["a method that is no word", `G@T / HTTP/1.1\r\n${closing}`],
    ["a space in the path", `GET /a b/c HTTP/1.1\r\n${closing}`],
    ["a header without a colon", `GET / HTTP/1.1\r\nnonsense\r\n${closing}`],
    ["a space before the colon of a header", `GET / HTTP/1.1\r\nX-A : b\r\n${closing}`],
    ["two lengths", `GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${closing}`],
    ["a length that is no number", `GET / HTTP/1.1\r\nContent-Length: x\r\n${closing}`],
    ["the beginning of TLS", Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03])],
    ["another protocol's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ] as const;

  for (const [what, bytes] of malformed) {
    it(`a request with ${what} answers 400 with a failure`, async () => {
      const world = shared();
      const answer = await ask(world.url, bytes);
      assert.equal(answer.status, 400);
      assertRefused(answer, 400, answer.body.code);
    });
  }

  it("a malformed request is logged with its request id, and the service continues", async () => {
    const world = shared();
    const answer = await ask(world.url, Buffer.from("GET /ä HTTP/1.1\r\n\r\n"));
    assert.match(answer.body.hint ?? "", /^Percent-encode .* %C3%A4 for ä\.$/);
    const encode = "Percent-encode them as %23 and %5C.";
    const hints = { "/top?a=b c": 'Write "-" for a space.', "/top?a=#b": encode, "/a\\b?c": encode };
    for (const [target, hint] of Object.entries(hints))
      assert.equal((await ask(world.url, `GET ${target} HTTP/1.1\r\n${closing}`)).body.hint, hint);
    const trailing = await ask(world.url, "GET /top HTTP/1.1 \r\n\r\n");
    assert.deepEqual([trailing.status, trailing.body.hint], [400, undefined]);
    const record = world.log.find(({ requestId }) => requestId === answer.body.requestId);
    assert.deepEqual([record?.status, record?.route], [400, null]);
    await world.ok(world.publicToken, "/player");
  });

  it("the answer to a malformed request and the log do not contain its token", async () => {
    const world = shared();
    const { publicToken: token } = world;
    for (const bytes of [
      `GET ${prefix}/${token}/a b HTTP/1.1\r\n${closing}`,
      `GET ${prefix}/${token}/player HTTP/1.1\r\nbroken\r\n${closing}`,
      `GET ${prefix}/${token}/player HTTP/1.1\r\nConnection: close\r\n\r\n`,
    ]) {
      const { headers, body } = await ask(world.url, bytes);
      assertLacks(JSON.stringify([[...headers], body, world.log]), token);
    }
  });
});

describe("the Host header of a request", () => {
  for (const host of ["a:99999", "a b", "[", "\u00ff%", "a/b", "a@b", "256.256.256.256"]) {
    for (const target of ["/nowhere%00", `${prefix}/openapi.json`, "/docs"]) {
      it(`a request with the Host ${host} for ${target} answers 400 with a failure`, async () => {
        const world = shared();
        const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
        assertRefused(await ask(world.url, Buffer.from(head, "latin1")), 400, "REQUEST_MALFORMED");
      });
    }
  }

  it("a request with an empty Host, a name or an address, with and without a port, is accepted", async () => {
    const world = shared();
    for (const host of ["", "a", "a:8888", "127.0.0.1", "[::1]:8888", "a_b.example"]) {
      const bytes = `GET /nowhere%00 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      assert.equal((await ask(world.url, bytes)).status, 404);
    }
  });
});

describe("the number of headers of a request", () => {
  it("a request with 100 headers answers 431, and one with 99 is accepted", async () => {
    const world = shared();
    const path = `${prefix}/${world.publicToken}/player`;
    const bytes = (count: number) => `GET ${path} HTTP/1.1\r\n${"a: b\r\n".repeat(count - 2)}${closing}`;
    assertRefused(await ask(world.url, bytes(100)), 431, "REQUEST_TOO_LARGE");
    assertRefused(await ask(world.url, bytes(2000)), 431, "REQUEST_TOO_LARGE");
    assert.equal((await ask(world.url, bytes(99))).status, 200);
  });
});

describe("a half-closed connection", () => {
  for (const secure of [false, true]) {
    it(
      `a client that closes its side gets an answer that is made later${secure ? " over TLS" : ""}`,
      inTime,
      async (t) => {
        const { connect } = await openServer(
          t,
          {
            fetch: () => new Response(),
            answerPlain: async (request) => {
              assert.ok(request instanceof IncomingMessage);
              if (!request.socket.readableEnded) await once(request.socket, "end");
              return answerTo(request);
            },
          },
          secure,
        );
        const { socket, closed } = await connect();
        socket.end(requestFor("/late"));
        assert.match(await closed, /^HTTP\/1\.1 200 OK\r\n[\s\S]*for \/late$/);
      },
    );
  }

  it(
    "a client that closes its side during the TLS handshake is disconnected before its deadline",
    inTime,
    async (t) => {
      const { connectPlainly } = await openServer(t, { fetch: () => new Response() }, true);
      // The deadline never passes.
      t.mock.timers.enable({ apis: ["setTimeout"] });
      const { socket, closed } = await connectPlainly();
      socket.end();
      assert.equal(await closed, "");
    },
  );

  it("a client that closes its side after its requests gets all answers", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
    const targets = [
      "/docs",
      `${prefix}/${token}/targetlist/add?name=Mallory`,
      `${prefix}/${token}/targetlist`,
    ];
    const connection = new Connection(world.url);
    connection.socket.end(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
    await once(connection.socket, "close");
    const statuses = connection.received.toString().match(/(?<=HTTP\/1\.1 )\d+/g);
    assert.equal(statuses?.length, targets.length);
    assert.deepEqual(statuses?.slice(1), ["200", "200"]);
  });
});

describe("a request with two Host headers", () => {
  for (const second of ["Host: localhost", "hOST: elsewhere"]) {
    it(`a request with a second Host header, ${second}, is refused as ambiguous`, async () => {
      const world = shared();
      const path = `${prefix}/${world.publicToken}/player/groups`;
      const answer = await ask(world.url, `GET ${path} HTTP/1.1\r\n${second}\r\n${closing}`);
      assertRefused(answer, 400, "REQUEST_MALFORMED");
    });
  }
});

describe("a request without a Host header", () => {
  it("a request without a Host header answers 400 and changes nothing", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
    const before = structuredClone(world.snapshot());
    const path = `${prefix}/${token}/targetlist/add?name=Mallory`;
    const answer = await ask(world.url, `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    assertRefused(answer, 400, answer.body.code);
    assert.deepEqual(structuredClone(world.snapshot()), before);
  });
});

describe("a request that is too large", () => {
  const padding = "x".repeat(17 * 1024);
  const large = [
    ["a header of more than 16 KiB", `GET / HTTP/1.1\r\nX-Padding: ${padding}\r\n${closing}`],
    ["a path of more than 16 KiB", `GET /${padding} HTTP/1.1\r\n${closing}`],
    ["a path of 8,001 characters", `GET /${"%41".repeat(2666)}xx HTTP/1.1\r\n${closing}`],
    ["a path and a query of 8,001 characters", `GET /?${"x".repeat(7999)} HTTP/1.1\r\n${closing}`],
    [
      "headers of together more than 16 KiB",
      `GET / HTTP/1.1\r\n${"X-A: 0123456789abcdef\r\n".repeat(1000)}${closing}`,
    ],
  ] as const;

  for (const [what, bytes] of large) {
    it(`a request with ${what} answers 431 with a failure`, async () => {
      const world = shared();
      const answer = await ask(world.url, bytes);
      assertRefused(answer, 431, answer.body.code);
      await world.ok(world.publicToken, "/player");
    });
  }

  it("a request whose path and query have 8,000 characters is not too large", async () => {
    const world = shared();
    const answer = await ask(world.url, `GET /x?${"x".repeat(7997)} HTTP/1.1\r\n${closing}`);
    assertRefused(answer, 404, "UNKNOWN_PATH");
  });

  it("a request with a header of 12 KiB is not too large", async () => {
    const world = shared();
    const path = `${prefix}/${world.publicToken}/player/groups`;
    const answer = await ask(
      world.url,
      `GET ${path} HTTP/1.1\r\nX-Padding: ${"x".repeat(12 * 1024)}\r\n${closing}`,
    );
    assert.equal(answer.status, 200);
  });
});

describe("methods that fetch cannot send", () => {
  for (const method of ["TRACE", "CONNECT"]) {
    it(`${method} is refused with 405 and Allow`, async () => {
      const world = shared();
      const path = `${prefix}/${world.publicToken}/player`;
      const target = method === "CONNECT" ? "example.org:443" : path;
      const answer = await ask(world.url, `${method} ${target} HTTP/1.1\r\n${closing}`);
      assertRefused(answer, 405, "METHOD_NOT_ALLOWED");
      assert.match(answer.headers.get("allow") ?? "", /\bGET\b/);
    });
  }

  it("HEAD of a change is refused without a body on the wire", async () => {
    const world = shared();
    const path = `${prefix}/${world.publicToken}/targetlist/add?name=Mallory`;
    const connection = new Connection(world.url);
    await connection.send(`HEAD ${path} HTTP/1.1\r\n${closing}`);
    await once(connection.socket, "close");
    const [head = "", body] = connection.received.toString("utf8").split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 405 /);
    assert.equal(body, "");
  });
});

describe("other forms of a request", () => {
  it("an absolute URL in the request line is equal to its path", async () => {
    const world = shared();
    const path = `${world.url}${prefix}/${world.publicToken}/player/groups`;
    const answer = await ask(world.url, `GET ${path} HTTP/1.1\r\n${closing}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.body[0], "CEO");
    const health = await ask(world.url, `GET ${world.url}/health HTTP/1.1\r\n${closing}`);
    assert.equal(health.status, 200);
  });

  it("a target that only looks like an absolute URL is refused", async () => {
    for (const target of ["http://[", "http://a%20b", "http://a:99999/top"]) {
      const answer = await ask(shared().url, `GET ${target} HTTP/1.1\r\n${closing}`);
      assertRefused(answer, 400, "REQUEST_MALFORMED");
    }
  });

  it("a body whose end nobody knows is refused (RFC 9112, section 6.3)", async () => {
    const world = shared();
    const path = `${prefix}/${world.publicToken}/player/groups`;
    for (const [coding, status] of [
      ["identity", 400],
      ["chunked, gzip", 400],
      ["gzip, chunked", 200],
    ] as const) {
      const head = `GET ${path} HTTP/1.1\r\nTransfer-Encoding: ${coding}\r\n${closing}`;
      const answer = await ask(world.url, `${head}0\r\n\r\n`);
      assert.equal(answer.status, status, coding);
    }
  });

  it("the description is served by every equivalent form of its URL", async () => {
    const world = shared();
    const forms = ["/openapi.json", "/./openapi.json", "/x/../openapi.json", "/openapi%2ejson"];
    for (const target of [`${world.url}${prefix}/openapi.json`, ...forms.map((form) => prefix + form)]) {
      const answer = await ask(world.url, `GET ${target} HTTP/1.1\r\n${closing}`);
      assert.equal(answer.status, 200, target);
      assert.equal(answer.body.openapi, "3.1.0", target);
    }
  });

  it("OPTIONS * answers 204 or 404", async () => {
    const world = shared();
    const connection = new Connection(world.url);
    await connection.send(`OPTIONS * HTTP/1.1\r\n${closing}`);
    await once(connection.socket, "close");
    assert.match(connection.received.toString("utf8"), /^HTTP\/1\.1 (204|404) /);
  });

  it("a path with bytes beyond ASCII is answered with a failure", async () => {
    const world = shared();
    const start = Buffer.from(`GET ${prefix}/${world.publicToken}/statistic/J`);
    const answer = await ask(
      world.url,
      Buffer.concat([start, Buffer.from([0xfc]), Buffer.from(`rgen HTTP/1.1\r\n${closing}`)]),
    );
    assert.ok([400, 404].includes(answer.status), `answered ${answer.status}`);
    assertRefused(answer, answer.status, answer.body.code);
  });

  it("dot segments in a path lead to no other operation", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
    const before = structuredClone(world.snapshot());
    const answer = await ask(world.url, `GET ${prefix}/x/../${token}/nowhere/%2e%2e HTTP/1.1\r\n${closing}`);
    assertRefused(answer, 404, "UNKNOWN_PATH");
    assert.deepEqual(structuredClone(world.snapshot()), before);
  });

  it("Expect: 100-continue and other expectations are ignored", async () => {
    const world = shared();
    const path = `${prefix}/${world.publicToken}/player/groups`;
    for (const expectation of ["100-continue", "nonsense"]) {
      const answer = await ask(world.url, `GET ${path} HTTP/1.1\r\nExpect: ${expectation}\r\n${closing}`);
      assert.equal(answer.status, 200);
    }
  });
});
