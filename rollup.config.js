/**
 * The build: what `tsc` has compiled is put into a few files, since a command is over in the time that Node takes to
 * find a hundred. `addon-cli.cjs` only begins; `command.cjs` is what every command needs, `look.cjs` what reading the data
 * takes beside it; the rest is loaded by those that need it.
 */
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { transform } from "esbuild";

/** What stays apart, as it is installed: packages with files of their own, or with native code, and what few need. */
const installed = [
  "@bomb.sh/tab",
  "fs-native-extensions",
  "listhen",
  "pino",
  "pino-pretty",
  "postgres",
  "prom-client",
  "sonic-boom",
  "string-width",
  "yaml",
];

/** The files for which modules are gathered, and the modules that begin it: those that they import come with them. */
const gathered = new Map([
  ["command", ["cli/terminal/process-io.js", "cli/program.js"]],
  ["look", ["cli/data/control.js", "cli/data/served-table.js", "src/operator/offline.js"]],
]);

/** `--configCompiled` names the folder of what `tsc` has compiled. */
export default ({ configCompiled = "node_modules/.compiled" }) => ({
  input: {
    "addon-cli": resolve(configCompiled, "cli/main.js"),
    // By this name for `bench/`, which measures its start.
    service: resolve(configCompiled, "src/service.js"),
  },
  external: (id) =>
    id.startsWith("node:") || installed.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [
    nodeResolve({ exportConditions: ["node"] }),
    commonjs(),
    wholeModules(),
    ownPlace(),
    withoutComments(),
    licenses(),
    swaggerUI(),
    executable(),
  ],
  output: {
    dir: "dist",
    // Node loads CommonJS in less time than modules.
    format: "cjs",
    // A stack trace has the names of the source.
    minifyInternalExports: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    manualChunks: gather(configCompiled),
  },
});

/** Tells to which of the files above a module belongs: the first that needs it. */
function gather(folder) {
  const members = new Map();
  return (id, { getModuleInfo }) => {
    for (const [name, roots] of members.size === 0 ? gathered : []) {
      const ids = new Set(roots.map((root) => resolve(folder, root)));
      for (const each of ids)
        for (const imported of getModuleInfo(each)?.importedIds ?? []) ids.add(imported);
      members.set(name, ids);
    }
    return Array.from(members).find(([, ids]) => ids.has(id))?.[0];
  };
}

/**
 * Has Rollup take dynamic imports for imports of whole modules. If it sees which functions are taken from one, it overlooks
 * their calls: where the only other call passes a constant, it compiles the function for that constant alone.
 */
function wholeModules() {
  return {
    name: "whole-modules",
    transform: (code) => code.replaceAll(/(?<![.\w])import\("[^"]+"\)/g, "$&.then((module) => module)"),
  };
}

/** `import.meta.dirname` and `import.meta.filename`, as CommonJS has them. */
function ownPlace() {
  const names = new Map([
    ["dirname", "__dirname"],
    ["filename", "__filename"],
  ]);
  return {
    name: "own-place",
    resolveImportMeta(property, { moduleId }) {
      return names.get(property) ?? this.error(`${moduleId}: CommonJS has no import.meta.${property}`);
    },
  };
}

/**
 * Removes the comments of packages, but those within classes, and escapes what is not ASCII: Node parses all of a file
 * before it runs the first line, and a command spends most of its time on that. Our own comments are not compiled. Names
 * and line breaks stay, for stack traces.
 */
function withoutComments() {
  return {
    name: "without-comments",
    renderChunk: (code) => transform(code, { charset: "ascii", legalComments: "none", target: "node20" }),
  };
}

/**
 * Copies what the documentation page needs of Swagger UI. As a dependency its package would bring ten times as much, and
 * a tracker that runs at every installation.
 */
function swaggerUI() {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const names = [
    "swagger-ui.css",
    "swagger-ui-bundle.js",
    "swagger-ui-bundle.js.LICENSE.txt",
    "LICENSE",
    "NOTICE",
  ];
  return {
    name: "swagger-ui",
    generateBundle() {
      for (const name of names) {
        const source = readFileSync(join(folder, name));
        this.emitFile({ type: "asset", fileName: `swagger-ui/${name}`, source });
      }
    },
  };
}

/** Makes the command executable, as npm does only when it installs: `npx` runs it in the project after each build. */
function executable() {
  return {
    name: "executable",
    writeBundle: ({ dir }) => chmodSync(join(dir, "addon-cli.cjs"), 0o755),
  };
}

/** Of a module's id, the folder of the package that it is from. */
const packageFolder = /^\0?(.*[\\/]node_modules[\\/](?!\.)(?:@[^\\/]+[\\/])?[^\\/]+)/;

/** Puts the licenses of the packages that became part of the build beside it. */
function licenses() {
  return {
    name: "licenses",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => Object.keys(file.modules ?? {}));
      const folders = modules.flatMap((id) => packageFolder.exec(id)?.[1] ?? []);
      const source = [...new Set(folders)].sort().map(licenseOf).join("\n");
      this.emitFile({ type: "asset", fileName: "LICENSES", source });
    },
  };
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no license file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8")}`;
}
