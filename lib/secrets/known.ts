/** Keys as they are asked for: those that were given, or what a parameter holds, read once for all who ask. */
import type { KeySource, Parameter } from "./secrets.ts";

/** What has been opened, for as long as its deployment is worked for. */
const known = new WeakMap<Parameter, Promise<() => Promise<readonly unknown[]>>>();

/** The keys of a source. @param open makes what reads its parameter, when it is first asked for */
export const keysOf = async <K>(
  source: KeySource<K>,
  open: (parameter: Parameter) => Promise<() => Promise<readonly K[]>>,
): Promise<readonly K[]> => {
  if ("given" in source) return source.given;
  const opened = known.get(source) ?? open(source);
  known.set(source, opened);
  // What `open` makes is of the kind that its parameter holds.
  return (await opened)() as Promise<readonly K[]>;
};
