/** Combines concurrent reads into one call. */
import { sameInvocationCheck } from "../runtime/invocation.ts";

interface Waiting<K, V> {
  key: K;
  resolve: (value: V) => void;
  reject: (error: unknown) => void;
}

/**
 * Batches reads issued in the same tick; flushes when the microtask queue is empty. Reads of different invocations in
 * one process are never combined, so that consumption and errors are attributed to the right invocation.
 * @param readAll reads all keys and returns a function that looks up the value of a key, or an error if the key could
 *   not be read. If `readAll` throws, all reads of the batch fail.
 */
export const readBatcher = <K, V>(
  readAll: (keys: readonly K[]) => Promise<(key: K) => V | Error>,
): ((key: K) => Promise<V>) => {
  let open: { waiting: Waiting<K, V>[]; isSameInvocation: () => boolean } | undefined;

  const read = async (waiting: readonly Waiting<K, V>[]): Promise<void> => {
    try {
      const resultOf = await readAll(waiting.map(({ key }) => key));
      for (const { key, resolve, reject } of waiting) {
        const value = resultOf(key);
        if (value instanceof Error) reject(value);
        else resolve(value);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  };

  return (key) =>
    new Promise((resolve, reject) => {
      if (open?.isSameInvocation() !== true) {
        const batch = { waiting: [], isSameInvocation: sameInvocationCheck() };
        open = batch;
        const close = (): void => {
          if (open === batch) open = undefined;
          void read(batch.waiting);
        };
        // Scheduled from a microtask, so that `nextTick` runs after all pending microtasks.
        void Promise.resolve().then(() => process.nextTick(close));
      }
      open.waiting.push({ key, resolve, reject });
    });
};
