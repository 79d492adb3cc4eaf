/** The log: lines of requests are written in batches without loss, and everything else at once. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import pino from "pino";
import { createLog } from "../../../cli/serving/log.ts";
import type { LogOptions } from "../../../cli/serving/log-options.ts";
import type { IO } from "../../../cli/terminal/io.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { RequestRecord } from "../../../src/engine/exchange.ts";
import { FileError } from "../../../src/store/folder/files.ts";
import { assertIncludes, assertLacks } from "../../_setup.ts";
import { Recorder } from "../_setup.ts";

const record: RequestRecord = {
  requestId: "r-1",
  method: "GET",
  route: "/wantedreason",
  status: 200,
  milliseconds: 0.12345,
  caller: "0123456789abcdef0123456789abcdef",
  code: null,
};

function open(options?: LogOptions) {
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text) };
  const log = createLog({ stderr, env: {} } as unknown as IO, options);
  const lines = () =>
    written
      .join("")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { log, written, lines };
}

for (const [options, expected] of [
  [{}, ["served", "refused", "fault", "started", "warned"]],
  [{ logRequests: "all" }, ["served", "refused", "fault", "started", "warned"]],
  [{ logRequests: "failures" }, ["refused", "fault", "started", "warned"]],
  [{ logRequests: "none" }, ["fault", "started", "warned"]],
  [{ logLevel: "info", logRequests: "failures" }, ["refused", "fault", "started", "warned"]],
  [{ logLevel: "warn" }, ["fault", "warned"]],
  [{ logLevel: "error" }, ["fault"]],
  [{ logLevel: "error", logRequests: "none" }, ["fault"]],
] as const) {
  it(`logs ${expected.join(", ")} with the options ${JSON.stringify(options)}`, () => {
    const { log, lines } = open(options);
    log.request({ ...record, requestId: "served" });
    log.request({ ...record, requestId: "refused", status: 403, code: "RESTRICTED" });
    log.request({ ...record, requestId: "fault", status: 500, code: "INTERNAL", error: new Error("broken") });
    log.info("started");
    log.warn("warned");
    log.close();
    assert.deepEqual(
      lines().map(({ requestId, msg }) => requestId ?? msg),
      expected,
    );
  });
}

it("logs a request that exceeds a limit, with the limit, but none that follows before the limit allows another", () => {
  const { log, lines } = open();
  const limited = { ...record, status: 429, code: "RATE_LIMITED", limit: "reads" };
  log.request({ ...limited, requestId: "first", isRepeated: false });
  log.request({ ...limited, requestId: "repeated", isRepeated: true });
  log.request(record);
  log.close();
  assert.deepEqual(
    lines().map(({ requestId, code, limit }) => [requestId, code, limit]),
    [
      ["first", "RATE_LIMITED", "reads"],
      ["r-1", undefined, undefined],
    ],
  );
});

it("logs at most 600 requests a minute without a known caller, and how many more there were; faults always", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { log, lines } = open();
  const stranger = { ...record, route: "/docs", caller: null };
  const flood = () => {
    for (let number = 0; number < 700; number += 1) log.request(stranger);
  };
  flood();
  for (let number = 0; number < 700; number += 1) log.request(record);
  log.request({ ...stranger, status: 500, code: "INTERNAL", error: new Error("broken") });
  for (let minute = 0; minute < 2; minute += 1) {
    t.mock.timers.tick(60_000);
    flood();
  }
  log.close();
  const count = (matches: (line: Record<string, unknown>) => boolean) => lines().filter(matches).length;
  const known = count(({ caller }) => caller === record.caller);
  const strangers = count(({ route, code }) => route === "/docs" && code === undefined);
  assert.deepEqual([known, strangers], [700, 1800]);
  assert.equal(
    count(({ code }) => code === "INTERNAL"),
    1,
  );
  assert.deepEqual(
    lines().flatMap(({ omitted }) => (omitted === undefined ? [] : [omitted])),
    [100, 100, 100],
  );
});

it("writes lines of requests together, in their order", () => {
  const { log, written, lines } = open();
  for (let number = 0; number < 200; number += 1) log.request({ ...record, requestId: `r-${number}` });
  log.close();
  assert.ok(written.length < 20, `${written.length} writes`);
  assert.deepEqual(
    lines().map(({ requestId }) => requestId),
    Array.from({ length: 200 }, (_, number) => `r-${number}`),
  );
});

it("writes a single line of a request without a flush", async () => {
  const { log, lines } = open();
  log.request(record);
  while (lines().length === 0) await setTimeout(5);
  assert.equal(lines().length, 1);
});

it("writes other lines at once, after the lines of earlier requests", () => {
  const { log, lines } = open();
  log.request(record);
  log.warn("Something.", new Error("else"));
  assert.deepEqual(
    lines().map(({ requestId, msg }) => requestId ?? msg),
    ["r-1", "Something."],
  );
});

it("logs a failure with its code, and an internal error without the token or the code in its text", () => {
  const { log, written, lines } = open();
  const token = `gat_${"a".repeat(43)}`;
  const codes = ["gai_9K3M-72VD-Q0XF-4TSA", "GAI_9k3m72vdQ0xf4tsa"];
  log.request({ ...record, status: 403, code: "RESTRICTED" });
  log.request({ ...record, status: 500, code: "INTERNAL", error: new Error(`at /${token}/x: ${codes}.`) });
  log.close();
  assert.deepEqual(
    lines().map(({ level, code }) => [level, code]),
    [
      [30, "RESTRICTED"],
      [50, "INTERNAL"],
    ],
  );
  for (const secret of [token, ...codes]) assertLacks(written.join(""), secret);
  assertIncludes(written.join(""), "at /gat_…/x: gai_…,gai_….");
});

it("logs a refusal without a stack and without the system's words, on a terminal as a sentence", () => {
  const refusal = new Failure("STORE_UNAVAILABLE", "There is no table routes.yaml.", {
    cause: new Error("ENOENT"),
  });
  const { log, lines } = open();
  log.warn("Refused.", refusal);
  const [{ msg, err }] = lines();
  assert.deepEqual(
    [msg, err],
    ["Refused.", { type: "Failure", message: refusal.message, code: refusal.code }],
  );
  const full = Object.assign(new Error("ENOSPC: no space left, write"), { code: "ENOSPC" });
  log.warn("Not written.", new FileError("/data/tables/a.yaml", full));
  assert.deepEqual(lines()[1].err, {
    type: "FileError",
    message: "ENOSPC: no space left, write '/data/tables/a.yaml'",
  });
  const terminal = new Recorder(true);
  createLog({ stderr: terminal, env: { NO_COLOR: "1" } }).warn("Refused.", refusal);
  assert.match(terminal.text, /WARN: Refused\. There is no table routes\.yaml\.\n$/);
});

it("logs what the operator can do, not the advice for a player", () => {
  const [hint, operatorHint] = ["Try again.", "The disk is full: make room."];
  const refusal = new Failure("STORE_UNAVAILABLE", "Nothing was changed.", { hint, operatorHint });
  const { log, lines } = open();
  log.warn("Not removed.", refusal);
  assert.equal(lines()[0].err.hint, operatorHint);
  const terminal = new Recorder(true);
  createLog({ stderr: terminal, env: { NO_COLOR: "1" } }).warn("Not removed.", refusal);
  assert.match(terminal.text, /WARN: Not removed\. Nothing was changed\. The disk is full: make room\.\n$/);
});

it("formats the line of a request as pino does", () => {
  const { log, written } = open();
  const records: RequestRecord[] = [
    record,
    { ...record, caller: null, route: null, status: 404 },
    { ...record, method: "HEAD", route: '/a/"b"/ü', milliseconds: 1234.5678 },
    { ...record, method: "HEAD", status: 304, milliseconds: 0 },
  ];
  for (const record of records) log.request(record);
  log.close();
  const lines = written.join("").trimEnd().split("\n");
  const peer: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void peer.push(line.trimEnd()) });
  for (const { requestId, method, route, status, milliseconds, caller } of records) {
    const rounded = Number(milliseconds.toFixed(3));
    logger.info({ method, route, status, milliseconds: rounded, caller, requestId });
  }
  const withoutTime = (line: string) => line.replace(/"time":\d{13}/, '"time":0');
  assert.deepEqual(lines.map(withoutTime), peer.map(withoutTime));
});

it("logs the time of a request's answer, not of its writing", () => {
  const { log, lines } = open();
  log.request(record);
  const answered = Date.now();
  // No timer can intervene: the line is formatted when the log is closed.
  while (Date.now() <= answered + 2);
  log.close();
  const [line] = lines();
  assert.ok(line.time <= answered, `${line.time} is after ${answered}`);
});
