/** Paths and constants of the project. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectFolder = fileURLToPath(new URL("../..", import.meta.url));
export const benchFolder = join(projectFolder, "bench");

/** The built command line. */
export const productMain = join(projectFolder, "dist", "addon-cli.cjs");
/** The built service, without its command line. */
export const productService = join(projectFolder, "dist", "service.cjs");
export const routesFile = join(projectFolder, "routes.yaml");
export const seedFile = join(projectFolder, "data", "seed.yaml");

/** Peers and probes are plain JavaScript, like the built product: a transpiler at run time would slow them down. */
export const peersFolder = join(benchFolder, "peers");
export const probesFolder = join(benchFolder, "probes");

/** The prefix of every path. */
export const prefix = "/gameaddon/v1";

/** The addon version of every token and request. */
export const addonVersion = "2.5.1";
export const userAgent = `gameaddon/${addonVersion}`;
