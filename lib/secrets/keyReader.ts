/** Keys as they are asked for: those that were given, or what a parameter holds, read once for all who ask. */
import type { KeySource, Parameter } from "./secrets.ts";

/**
 * Gives the keys of a source.
 * @param open makes what reads a parameter, when it is first asked for
 */
export const keyReader = <K>(open: (parameter: Parameter) => Promise<() => Promise<readonly K[]>>) => {
  // For as long as the deployment is worked for that has it.
  const known = new WeakMap<Parameter, ReturnType<typeof open>>();
  return async (source: KeySource<K>): Promise<readonly K[]> => {
    if ("given" in source) return source.given;
    const opened = known.get(source) ?? open(source);
    known.set(source, opened);
    return (await opened)();
  };
};
