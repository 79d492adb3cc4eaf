/** `serve` where the system allows no further watches. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noStrace } from "../_strace.ts";
import { serveProcess } from "./_process.ts";
import { seededDesk } from "./_setup.ts";

describe("serve, without a watch for the table", { skip: noStrace }, () => {
  for (const [call, error] of [
    ["inotify_init1", "EMFILE"],
    ["inotify_add_watch", "ENOSPC"],
  ] as const) {
    it(`starts, warns and answers if ${call} fails`, { timeout: 120_000 }, async (t) => {
      const desk = await seededDesk(t);
      const fault = ["-e", `inject=${call}:error=${error}`];
      // Detached, strace leaves the signals to the service.
      const strace = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", ...fault];
      const { child, base, token } = await serveProcess(desk, [], [], strace);
      await child.shows(
        "stderr",
        /Cannot watch \S+routes\.yaml: send SIGHUP after a change\. .*max_user_watches/,
      );
      assert.equal((await fetch(`${base}/${token}/player/groups`)).status, 200);
      child.signal("SIGTERM");
      assert.equal(await child.ended, 0);
    });
  }
});
