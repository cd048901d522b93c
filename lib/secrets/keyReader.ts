/** Reads keys from the environment or from a parameter. */
import type { KeySource, Parameter } from "./secrets.ts";

/**
 * Makes a reader of keys.
 * @param open makes the reader of a parameter; called once for each parameter, on the first read
 */
export const keyReader = <K>(open: (parameter: Parameter) => Promise<() => Promise<readonly K[]>>) => {
  const readers = new WeakMap<Parameter, ReturnType<typeof open>>();
  return async (source: KeySource<K>): Promise<readonly K[]> => {
    if ("given" in source) return source.given;
    const opened = readers.get(source) ?? open(source);
    readers.set(source, opened);
    return (await opened)();
  };
};
