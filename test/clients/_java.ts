/** Whether Java can be tested here. */
import { run } from "./_setup.ts";

/** Why tests of Java are skipped, or false where there is a JDK. */
export const withoutJava: string | false = await run("javac", ["-version"]).then(
  () => false,
  () => "there is no JDK",
);
