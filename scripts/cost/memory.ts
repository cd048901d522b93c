/** The functions as serverless.yml deploys them: how many there are, and the memory of each. */
import * as z from "zod/mini";
import { functionFiles, readDefinition } from "../local/sources.ts";

const Provider = z.looseObject({ provider: z.looseObject({ memorySize: z.int() }) });
const Functions = z.record(z.string(), z.looseObject({ memorySize: z.optional(z.int()) }));

/** Memory by function, in MB. */
export const readMemory = async (): Promise<ReadonlyMap<string, number>> => {
  const { provider } = Provider.parse(await readDefinition("serverless.yml"));
  const memory = new Map<string, number>();
  for await (const { functions } of functionFiles()) {
    for (const [name, { memorySize }] of Object.entries(Functions.parse(functions))) {
      memory.set(name, memorySize ?? provider.memorySize);
    }
  }
  return memory;
};
