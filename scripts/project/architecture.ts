/** Draws the folders and their imports, as dependency-cruiser reports them. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { ROOT } from "./root.ts";

const Cruise = z.object({
  modules: z.array(
    z.object({ source: z.string(), dependencies: z.array(z.object({ resolved: z.string() })) }),
  ),
});

/** Returns the node of a file: its folder in `lib`, or `functions`. */
const nodeOf = (file: string): string | undefined => /^(?:lib\/\w+|functions)(?=\/)/.exec(file)?.[0];

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

const importsOf = ({ modules }: z.infer<typeof Cruise>): Imports => {
  const imports = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const from = nodeOf(source);
    if (from === undefined) continue;
    const found = imports.get(from) ?? new Set();
    imports.set(from, found);
    for (const { resolved } of dependencies) {
      const to = nodeOf(resolved);
      if (to !== undefined && to !== from) found.add(to);
    }
  }
  return imports;
};

/** Whether `to` can be reached from `from` through another folder. */
const isReachedOtherwise = (imports: Imports, from: string, to: string): boolean => {
  const seen = new Set<string>();
  const open = [...(imports.get(from) ?? [])].filter((one) => one !== to);
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one === to) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    open.push(...(imports.get(one) ?? []));
  }
  return false;
};

const idOf = (node: string): string => node.replaceAll(/\W/g, "_");

/**
 * Returns a Mermaid flowchart of `functions` and the folders of `lib`, without arrows that longer paths imply.
 * @throws Error if dependency-cruiser fails
 */
export const renderDiagram = async (): Promise<string> => {
  const program = join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, "lib", "functions", "--output-type", "json"],
    { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 },
  );
  const imports = importsOf(Cruise.parse(JSON.parse(stdout)));
  const nodes = [...imports.keys()].toSorted();
  const arrows = nodes.flatMap((from) =>
    [...(imports.get(from) ?? [])]
      .filter((to) => !isReachedOtherwise(imports, from, to))
      .toSorted()
      .map((to) => `  ${idOf(from)} --> ${idOf(to)}`),
  );
  return ["flowchart TD", ...nodes.map((node) => `  ${idOf(node)}["${node}"]`), ...arrows].join("\n");
};

/** The document that contains the diagram. */
export const ARCHITECTURE_FILE = join(ROOT, "docs/architecture.md");
/** The diagram between its markers. */
const DIAGRAM = /(<!-- drawing -->\n```mermaid\n)([\s\S]*?)(\n```\n<!-- end of drawing -->)/;

/** Returns the diagram in a document, or `undefined`. */
export const diagramIn = (document: string): string | undefined => DIAGRAM.exec(document)?.[2];

/** Replaces the diagram in a document. */
export const replaceDiagram = (document: string, diagram: string): string =>
  document.replace(DIAGRAM, (_, begin: string, _old: string, end: string) => `${begin}${diagram}${end}`);
