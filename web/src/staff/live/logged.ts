/**
 * What the pages read from the audit log, because the API lists it nowhere else: the latest commands, the ids of messages,
 * and those of enforced checkpoints. The entries decide nothing else: what can be withdrawn or undone, and what has been
 * delivered, is read from the state of the service by these ids (decision 111).
 */
import { readUntil } from "../../state/resource.ts";
import { type LogEntry, read } from "../calls.ts";
import { isCommand } from "../commands.ts";

const LATEST = 8;
const PAGE_SIZE = 50;
/** Each page that is read adds an entry to the log. */
const MAX_PAGES = 5;

/** Reads the latest commands of game masters and moderators. Others are left out, however many there are. */
export const readLatestCommands = async (): Promise<LogEntry[]> => {
  let pages = 0;
  const readPage = async (cursor?: string) => {
    const filters = { changes: "true", outcome: "done", limit: PAGE_SIZE } as const;
    const query = { ...filters, ...(cursor === undefined ? {} : { cursor }) };
    const { logs, next_cursor } = await read("get_logs", query);
    pages += 1;
    return { items: logs.filter(isCommand), next: pages < MAX_PAGES ? next_cursor : null };
  };
  return (await readUntil(readPage, undefined, LATEST)).items.slice(0, LATEST);
};

interface SentMessage {
  id: string;
  /** The alias of the game master; `null` for one who has left. */
  by: string | null;
}

/** Reads which messages were sent or scheduled last, the newest first. */
export const readSentMessages = async (limit: number): Promise<SentMessage[]> => {
  const { logs } = await read("get_logs", { action: "send", outcome: "done", limit });
  const sent = logs.flatMap(({ actor, details: { notification_id: id } }) =>
    typeof id === "string" ? [{ id, by: actor }] : [],
  );
  return [...new Map(sent.map((one) => [one.id, one])).values()];
};

interface Enforced {
  /** Of required missions the id of the job, by which it is undone. */
  checkpoint_id: string;
  killed: number;
  at: string;
}

/**
 * Reads which checkpoints, or required missions, were enforced, one entry each, the latest first. The game only has the
 * current checkpoint.
 */
export const readEnforced = async (
  action: "kill_all_not_at_checkpoint" | "enforce_missions" = "kill_all_not_at_checkpoint",
): Promise<Enforced[]> => {
  const { logs } = await read("get_logs", {
    action,
    changes: "true",
    outcome: "done",
    limit: 50,
  });
  const ended = logs.flatMap(({ details: { checkpoint_id, killed, complete }, at }) =>
    typeof checkpoint_id === "string" && typeof killed === "number" && complete === true
      ? [{ checkpoint_id, killed, at }]
      : [],
  );
  return [...new Map(ended.toReversed().map((one) => [one.checkpoint_id, one])).values()].toReversed();
};
