/** Tables and temporary files for tests of export, import and reset. */
import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { localTarget, type Target } from "../../scripts/archive/target.ts";
import { createTable } from "../../scripts/local/table.ts";
import type { TestEnvironment } from "./service.ts";
import { scan } from "./table.ts";
import { useTempDir } from "./tempDir.ts";

export const archives = (s: Pick<TestEnvironment, "place">) => {
  const pathOf = useTempDir();
  /** Opens a table as a command does; by default the test environment's. */
  const openTable = (table = s.place().table): Target => {
    const target = localTarget({ endpoint: s.place().endpoint, table, region: "local" });
    onTestFinished(() => target.close());
    return target;
  };
  return {
    folder: () => pathOf("."),
    /** A name that no file has yet. */
    newFile: () => pathOf(`${randomUUID()}.ndjson`),
    openTable,
    /** Another table, empty. */
    async emptyTable(): Promise<Target> {
      const table = `import-${randomUUID()}`;
      await createTable(s.place().endpoint, table, { stream: true });
      return openTable(table);
    },
    /** Every item of a table, in order. */
    async everything({ table }: Target): Promise<StoredItem[]> {
      const items = await scan({ place: () => ({ endpoint: s.place().endpoint, table }) });
      return items.toSorted((one, other) => (`${one.pk} ${one.sk}` < `${other.pk} ${other.sk}` ? -1 : 1));
    },
  };
};

/** Makes a table's client fail from its n-th call on, as when its process is killed. */
export const killedAt = (target: Target, call: number, kinds: readonly string[]): Target => {
  const { client } = target;
  const send = client.send.bind(client);
  let calls = 0;
  Object.assign(client, {
    send: (command: Parameters<typeof send>[0]) => {
      if (kinds.includes(command.constructor.name)) calls += 1;
      if (calls >= call) throw new Error("killed");
      return send(command);
    },
  });
  return target;
};
