/** Where things are in the project. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The top of the project. */
export const projectFolder = fileURLToPath(new URL("../..", import.meta.url));
export const benchFolder = join(projectFolder, "bench");

/** The executable of the product, as it is built. */
export const productMain = join(projectFolder, "dist", "addon-cli.cjs");
/** The product's service, without its command line. */
export const productService = join(projectFolder, "dist", "service.cjs");
export const routesFile = join(projectFolder, "routes.yaml");
export const seedFile = join(projectFolder, "data", "seed.yaml");

/** Where the compiled peers and probes are: inside `node_modules`, so that no other tool looks at them. */
export const builtFolder = join(benchFolder, "node_modules", ".built");

/** The prefix of every path. */
export const prefix = "/gameaddon/v1";
