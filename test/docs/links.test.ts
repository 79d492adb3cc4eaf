/** Tests that the links of the documents lead somewhere, and that the paths that they name exist. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { projectFolder } from "../_setup.ts";
import { readPage } from "./_page.ts";

const top = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "client/typescript/README.md"];
const inDocs = (await readdir(join(projectFolder, "docs"))).filter((name) => name.endsWith(".md"));
const documents = [...top, ...inDocs.map((name) => `docs/${name}`)];

/** Returns the anchors of a page: its headings as GitHub writes them in links. */
function anchors(page: string): Set<string> {
  const headings = page.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, text = ""]) => {
      const words = text.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, "");
      return words.replaceAll(" ", "-");
    }),
  );
}

for (const document of documents) {
  describe(document, async () => {
    const page = await readPage(document);

    it("links only to files and headings that exist", async () => {
      for (const [, link = ""] of page.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
        const [file = "", anchor] = link.split("#");
        const path = file === "" ? document : join(dirname(document), file);
        assert.ok(existsSync(join(projectFolder, path)), `${link} does not exist`);
        if (anchor !== undefined)
          assert.ok(anchors(await readPage(path)).has(anchor), `${link} does not exist`);
      }
    });

    const skip = document === "CHANGELOG.md" && "the changelog names former files";
    it("names only files of the project that exist", { skip }, () => {
      for (const [, path = ""] of page.matchAll(
        /`((?:src|cli|test|bench|deploy|docs|client|examples|data)\/[\w./-]*)`/g,
      )) {
        assert.ok(existsSync(join(projectFolder, path)), `${path} does not exist`);
      }
    });
  });
}

it("docs/architecture.md names every room of the sources", async () => {
  const page = await readPage("docs/architecture.md");
  for (const top of ["src", "cli"]) {
    const entries = await readdir(join(projectFolder, top), { withFileTypes: true });
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      assert.ok(page.includes(`\`${top}/${name}/`), `${top}/${name}/ is missing`);
    }
  }
});
