/** The output of commands as a guide shows it: without what differs from run to run, and without long lists. */

/** What differs from run to run. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, "https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com"],
  [/#[\w-]{22}$/gm, "#kI1xXhrEwWc0yL9aVZb3Tg"],
  [/\(\d+s\)/g, "(95s)"],
  [/^Environment: .*$/gm, "Environment: linux, node 24, osls 4 (local)"],
  [/\S*\/(?=game\.ndjson)/g, ""],
  [
    /^( {2}[A-Z]+ - |endpoints:|functions:| {2}\w+: zombie-game-)[^\n]*(\n( {2}[A-Z]+ - |functions:| {2}\w+: zombie-game-)[^\n]*)*/gm,
    "...",
  ],
];

/** Instants become hours of one evening, in their order; also where they are milliseconds. */
const withoutInstants = (output: string): string => {
  const instants = [...new Set(output.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g))].toSorted();
  return instants.reduce((text, instant, n) => {
    const shownAt = `2026-09-01T${18 + n}:00:00.000Z`;
    return text.replaceAll(instant, shownAt).replaceAll(`${Date.parse(instant)}`, `${Date.parse(shownAt)}`);
  }, output);
};

/** A command with its output, as a guide shows it. */
export const shown = (command: string, output: string): string =>
  `$ ${command}\n${VARIABLE.reduce((text, [pattern, to]) => text.replaceAll(pattern, to), withoutInstants(output)).trim()}`;

const blockOf = (name: string): RegExp =>
  new RegExp(`(?<=<!-- output: ${name} -->\\n\`\`\`text\\n)[\\s\\S]*?(?=\\n\`\`\`)`);

/** Replaces the outputs in a guide. @throws Error if it has no place for one */
export const withOutputs = (guide: string, outputs: ReadonlyMap<string, string>): string =>
  [...outputs].reduce((text, [name, output]) => {
    if (!blockOf(name).test(text)) throw new Error(`the guide has no output ${name}`);
    return text.replace(blockOf(name), () => output);
  }, guide);
