/** Connecting to a service through its control socket: services that are dead, silent, or close connections. */
import assert from "node:assert/strict";
import { EventEmitter, getEventListeners, once } from "node:events";
import { symlink, writeFile } from "node:fs/promises";
import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connectControl } from "../../src/control/client.ts";
import { temporaryFolder } from "../_setup.ts";
import { assertFails, closes, healthy, listen, silent, timers } from "./_control.ts";

describe("connecting to a service", () => {
  for (const [what, prepare] of [
    ["has no socket", () => {}],
    ["has a file at the path of its socket", (folder: string) => writeFile(join(folder, "socket"), "")],
  ] as const) {
    it(`there is no service on a folder that ${what}`, async (t) => {
      const folder = await temporaryFolder(t);
      await prepare(folder);
      assert.equal(await connectControl(folder), undefined);
    });
  }

  it("there is no service on a folder that does not exist, or is a file", async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, "file"), "");
    assert.equal(await connectControl(join(folder, "none")), undefined);
    assert.equal(await connectControl(join(folder, "file")), undefined);
  });

  it("a socket that cannot be reached for another reason is reported with it", async (t) => {
    const folder = await temporaryFolder(t);
    await symlink("socket", join(folder, "socket"));
    await assert.rejects(connectControl(folder), {
      code: "STORE_UNAVAILABLE",
      message: /^Cannot reach the service on the data folder: .*ELOOP.*\.$/,
      hint: "Run the command as the user that the service runs as.",
    });
  });

  it("a healthy service is connected to, which leaves neither a timer nor a listener", async (t) => {
    const { folder } = await listen(t, (_request, response) => healthy(response));
    const { signal } = new AbortController();
    const before = timers();
    assert.ok((await connectControl(folder, signal)) !== undefined);
    assert.equal(timers(), before);
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("a service that fails is reported with its own error", async (t) => {
    const { folder } = await listen(t, (_request, response) => {
      response.end('{"error":{"code":"CONFLICT","message":"No.","hint":"Yes."}}');
    });
    await assertFails(connectControl(folder), { code: "CONFLICT", message: "No.", hint: "Yes." });
  });

  for (const [lock, who] of [
    ["", "its process"],
    ["4711\n", "process 4711"],
  ] as const) {
    it(`a service that closes connections is tried four times, with pauses, and reported: ${who}`, async (t) => {
      let tried = 0;
      const { folder } = await listen(t, ({ socket }) => {
        tried += 1;
        socket.destroy();
      });
      await writeFile(join(folder, "lock"), lock);
      const begun = performance.now();
      await assertFails(connectControl(folder), closes(folder, "Nothing was changed.", who));
      assert.equal(tried, 4);
      // Timers may be a millisecond early.
      assert.ok(performance.now() - begun >= 3 * 149, "it pauses before each attempt");
    });

    it(`a silent service is reported after 3 s: ${who}`, async (t) => {
      const asked = new EventEmitter();
      const { folder } = await listen(t, () => void asked.emit("asked"));
      await writeFile(join(folder, "lock"), lock);
      const isAsked = once(asked, "asked");
      t.mock.timers.enable({ apis: ["setTimeout"] });
      let isSettled = false;
      const connecting = connectControl(folder).finally(() => {
        isSettled = true;
      });
      connecting.catch(() => {});
      await isAsked;
      t.mock.timers.tick(2_999);
      await new Promise(setImmediate);
      assert.equal(isSettled, false);
      t.mock.timers.tick(1);
      const again = lock === "" ? "" : " If it was stopped, `kill -CONT 4711` continues it.";
      await assertFails(connecting, silent(folder, `Nothing was changed.${again}`, who));
    });
  }

  it("a service that answers the fourth attempt is connected to", async (t) => {
    let tried = 0;
    const { folder } = await listen(t, ({ socket }, response) => {
      tried += 1;
      if (tried < 4) socket.destroy();
      else healthy(response);
    });
    assert.ok((await connectControl(folder)) !== undefined);
    assert.equal(tried, 4);
  });

  it("an attempt ends at once with the reason of its signal", { timeout: 60_000 }, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const asked = new EventEmitter();
    const { folder } = await listen(t, () => void asked.emit("asked"));
    const isAsked = once(asked, "asked");
    const stopping = new AbortController();
    const connecting = connectControl(folder, stopping.signal);
    const reason = new Error("stopped");
    const rejected = assert.rejects(connecting, reason);
    await isAsked;
    stopping.abort(reason);
    await rejected;
    assert.equal(getEventListeners(stopping.signal, "abort").length, 0);
  });

  it("an attempt with an ended signal asks nothing, and ends with its reason", async (t) => {
    let asked = false;
    const { folder } = await listen(t, (_request, response) => {
      asked = true;
      healthy(response);
    });
    const reason = new Error("stopped");
    await assert.rejects(connectControl(folder, AbortSignal.abort(reason)), reason);
    assert.equal(asked, false);
  });
});

describe("an error of the connection to a service", () => {
  /** Lets every request fail. */
  function failing(t: TestContext, code: string): void {
    t.mock.method(http, "request", () => {
      const request = new EventEmitter();
      const error = Object.assign(new Error(`connect ${code}`), { code });
      setImmediate(() => request.emit("error", error));
      return Object.assign(request, { setHeader() {}, end() {} });
    });
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
  }

  const outOfDescriptors = (code: string) => () => ({
    code: "STORE_UNAVAILABLE",
    message: `Cannot reach the service on the data folder: connect ${code}.`,
    hint: "Raise the limit of this shell (ulimit -n). The service received nothing.",
  });
  /** The failure of each error; undefined where there is no service. */
  const failures: Record<string, ((folder: string) => Parameters<typeof assertFails>[1]) | undefined> = {
    ENOENT: undefined,
    ENOTDIR: undefined,
    ECONNREFUSED: undefined,
    EAGAIN: (folder) => silent(folder, "Nothing was changed."),
    ECONNRESET: (folder) => closes(folder, "Nothing was changed."),
    EPIPE: (folder) => closes(folder, "Nothing was changed."),
    EMFILE: outOfDescriptors("EMFILE"),
    ENFILE: outOfDescriptors("ENFILE"),
    EACCES: () => ({
      code: "STORE_UNAVAILABLE",
      message: "Cannot reach the service on the data folder: connect EACCES.",
      hint: "Run the command as the user that the service runs as.",
    }),
  };
  for (const [code, failure] of Object.entries(failures)) {
    it(`${code} means ${failure === undefined ? "that there is no service" : "a failure that says what to do"}`, async (t) => {
      failing(t, code);
      const folder = await temporaryFolder(t);
      await writeFile(join(folder, "socket"), "");
      if (failure === undefined) assert.equal(await connectControl(folder), undefined);
      else await assertFails(connectControl(folder), failure(folder));
    });
  }
});
