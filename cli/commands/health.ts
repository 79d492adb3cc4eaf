/** `health`: asks a service whether it is ready. */
import { InvalidArgumentError } from "commander";
import type { CLICommand } from "../command.ts";

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin) return url.origin;
  throw new InvalidArgumentError(
    "Expected an origin, such as https://addon.example.org or http://127.0.0.1:8888, without a path.",
  );
}

export function addHealthCommand(program: CLICommand): void {
  program
    .command("health")
    .description("ask the service whether it answers and accepts changes; exit 0 if so, 1 if not")
    .option(
      "--url <origin>",
      "ask the service at this origin, instead of that of the data folder",
      parseOrigin,
    )
    .examples("health", "health --url https://addon.example.org")
    .loads(async () => (await import("../actions/health.ts")).reportHealth);
}
