/** Whether the tests of Java can run. */
import { run } from "./_setup.ts";

/** Why the tests of Java are skipped, or false if there is a JDK. */
export const withoutJava: string | false = await run("javac", ["-version"]).then(
  () => false,
  () => "there is no JDK",
);
