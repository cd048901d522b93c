/** Reads that are asked for at the same instant, made as one. */
import { sameInvocationCheck } from "../runtime/invocation.ts";

interface Waiting<K, V> {
  key: K;
  resolve: (value: V) => void;
  reject: (error: unknown) => void;
}

/**
 * A read of one thing that waits until all who ask at the same instant have asked: until no promise that is kept already
 * has anything left to do. Two invocations in one process are never read for together: what a read takes, and what it
 * fails with, is its own invocation's.
 * @param readAll reads so many at once, and tells what became of each, an error for one that could not be read; when it
 *   fails itself, it has failed for each of them
 */
export const readBatcher = <K, V>(
  readAll: (keys: readonly K[]) => Promise<(key: K) => V | Error>,
): ((key: K) => Promise<V>) => {
  let open: { waiting: Waiting<K, V>[]; isTheirs: () => boolean } | undefined;

  const read = async (waiting: readonly Waiting<K, V>[]): Promise<void> => {
    try {
      const became = await readAll(waiting.map(({ key }) => key));
      for (const { key, resolve, reject } of waiting) {
        const value = became(key);
        if (value instanceof Error) reject(value);
        else resolve(value);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  };

  return (key) =>
    new Promise((resolve, reject) => {
      if (open?.isTheirs() !== true) {
        const batch = { waiting: [], isTheirs: sameInvocationCheck() };
        open = batch;
        const close = (): void => {
          if (open === batch) open = undefined;
          void read(batch.waiting);
        };
        // A tick comes after all kept promises, but where none has had its turn yet it comes before them.
        void Promise.resolve().then(() => process.nextTick(close));
      }
      open.waiting.push({ key, resolve, reject });
    });
};
