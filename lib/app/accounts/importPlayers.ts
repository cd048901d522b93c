/** Creates accounts from a game master's list, with invitations to set a password. */
import { impossibleHash } from "../../auth/password.ts";
import { INVITATION_MS, newRecovery } from "../../auth/recovery.ts";
import { isSameAlias } from "../../domain/accounts/alias.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Newcomer } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import type { JobCall, ReadCall } from "../../lambda/call.ts";
import { chunk } from "../../runtime/chunk.ts";
import { isSameEmail } from "../../store/accounts/emails.ts";
import { type Changes, writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { logItem } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { randomShard } from "../../store/lists.ts";
import { type ImportRow, type RowError, withoutDuplicates } from "./importRows.ts";
import { aliasConflict, newAccount } from "./newAccount.ts";
import { requireNoReview } from "./review.ts";

/** An account takes about twenty writes: player, tag code, password, invitation, guards and words to search for. */
const ROWS_PER_BATCH = 4;
/** DynamoDB's limit for a transaction. */
const MAX_WRITES = 100;

interface Import {
  rows: readonly ImportRow[];
  dry_run?: boolean | undefined;
  /** Whether players whose invitation is still unused get a new one. */
  renew_invitations?: boolean | undefined;
  /** `false` creates nobody, so that a list of players who were read can be invited again without creating one who left. */
  create?: boolean | undefined;
}

type ImportCall = ReadCall & {
  body: Import;
  /** The rows of this request that have a new invitation, by player id. */
  invitedBy: Map<string, number>;
};

interface RowResult {
  row: number;
  alias: string | null;
  /** `pending` if time ran out or the database was too busy. */
  status: "created" | "invited" | "exists" | "rejected" | "pending";
  player_id?: string | undefined;
  recovery_code?: string | undefined;
  expires_at?: string | undefined;
  /** Whether the new player waits for a game master's decision: see the `reviews` of the alerts. */
  needs_decision?: true | undefined;
  errors?: RowError[] | undefined;
}

/** The changes for a row, and its result if they are committed. */
interface RowPlan {
  result: RowResult;
  changes: Changes;
}

const rejected = ({ row, alias }: ImportRow, ...errors: RowError[]): RowPlan => ({
  result: { row, alias, status: "rejected", errors },
  changes: {},
});

/** The player who has an alias, or has given it up in this season, with the credential; `null` if nobody has. */
const accountWith = async ({ services: { store } }: ImportCall, alias: string) => {
  const owner = await store.playerIdByAlias(alias, { isFormerToo: true });
  const { player, credential } =
    owner === null ? { player: null, credential: null } : await store.account(owner);
  return player === null || credential === null ? null : { player, credential };
};

type Account = NonNullable<Awaited<ReturnType<typeof accountWith>>>;

/** The plan for a row of an existing player: a new invitation, if it is asked for and the earlier one is unused. */
const planExisting = async (
  { body, now, services: { store } }: ImportCall,
  { row }: ImportRow,
  { player: { alias, player_id }, credential }: Account,
): Promise<RowPlan> => {
  if (credential.invited !== true || body.renew_invitations !== true) {
    return { result: { row, alias, player_id, status: "exists" }, changes: {} };
  }
  const before = await store.recovery(player_id);
  const { code: recovery_code, expiresAt, write } = newRecovery(player_id, before, now, INVITATION_MS);
  const { rev } = credential;
  return {
    result: { row, alias, player_id, status: "invited", recovery_code, expires_at: rfc3339(expiresAt) },
    // Fails if the player has just used the earlier invitation to set a password.
    changes: { writes: [write, { check: keys.credential(player_id), expect: { rev } }] },
  };
};

/** Whether a row has the address of an existing player; `null` if one has none. With two addresses they are two people. */
const hasSameAddress = ({ email = null }: Newcomer, { player }: Account): boolean | null =>
  email === null || player.email === null ? null : isSameEmail(email, player.email);

/** The plan for a row that `newAccount` rejects, possibly because an earlier import has created the account. */
const planRejected = async (
  call: ImportCall,
  row: ImportRow,
  newcomer: Newcomer,
  { detail, code }: DomainError,
): Promise<RowPlan> => {
  const found = code === "alias_taken" ? await accountWith(call, newcomer.alias) : null;
  const isTaken = found !== null && isSameAlias(found.player.alias, newcomer.alias);
  const taken: RowError = {
    path: code === "email_taken" ? "email" : "alias",
    message: detail,
    code: code === "alias_taken" && !isTaken ? "look_alike" : code,
  };
  if (found === null) return rejected(row, taken);
  const isSame = hasSameAddress(newcomer, found) ?? found.credential.invited === true;
  return isSame ? planExisting(call, row, found) : rejected(row, taken);
};

/** The plan for a row of a request that creates nobody. */
const planKnown = async (call: ImportCall, row: ImportRow, newcomer: Newcomer): Promise<RowPlan> => {
  const found = await accountWith(call, newcomer.alias);
  const unknown = { path: "alias", message: "There is no player with this alias.", code: "player_not_found" };
  if (found === null) return rejected(row, unknown);
  const other = {
    path: "email",
    message: "The player with this alias has another address.",
    code: "alias_taken",
  };
  return hasSameAddress(newcomer, found) === false ? rejected(row, other) : planExisting(call, row, found);
};

const planRow = async (call: ImportCall, row: ImportRow, conflict: DomainError | null): Promise<RowPlan> => {
  const { body, context, game, now, services } = call;
  const { newcomer } = row;
  if (newcomer === null) return rejected(row, ...row.errors);
  if (body.create === false) return planKnown(call, row, newcomer);
  const hash = impossibleHash(services.cost);
  try {
    const account = await newAccount(services, game, { ...newcomer, hash }, context, {
      invite: requireNoReview,
      conflict,
    });
    const { player_id, alias, review = [] } = account.player;
    const { code: recovery_code, expiresAt, write } = newRecovery(player_id, null, now, INVITATION_MS);
    return {
      result: {
        row: row.row,
        alias,
        status: "created",
        player_id,
        recovery_code,
        expires_at: rfc3339(expiresAt),
        ...(review.length === 0 ? {} : { needs_decision: true as const }),
      },
      changes: { ...account.changes, writes: [...account.changes.writes, write] },
    };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === "unavailable") throw error;
    return planRejected(call, row, newcomer, error);
  }
};

/** Notes whom a result invites. @returns the row that does so already, if there is one */
const noteInvited = (invitedBy: Map<string, number>, { status, player_id, row }: RowResult) => {
  if (status !== "invited" || player_id === undefined) return undefined;
  const earlier = invitedBy.get(player_id);
  if (earlier === undefined) invitedBy.set(player_id, row);
  return earlier;
};

/** Plans rows together, so that what all of them need is read once. A player whom two rows name gets one invitation. */
const planRows = async (call: ImportCall, rows: readonly ImportRow[]): Promise<RowPlan[]> => {
  const { body, services } = call;
  const conflicts = await Promise.all(
    rows.map(({ newcomer }) =>
      newcomer === null || body.create === false
        ? null
        : aliasConflict(services.store, newcomer.alias, { player_id: null, is_admin: false }),
    ),
  );
  const plans = await Promise.all(
    rows.map(async (row, n) => ({ row, plan: await planRow(call, row, conflicts[n] ?? null) })),
  );
  const invitedBy = new Map(call.invitedBy);
  return plans.map(({ row, plan }) => {
    const earlier = noteInvited(invitedBy, plan.result);
    if (earlier === undefined) return plan;
    const message = `The alias is of the player of row ${earlier}.`;
    return rejected(row, { path: "alias", message, code: "duplicate" });
  });
};

const combinedChanges = (plans: readonly RowPlan[], { game }: ImportCall): Changes => ({
  players: plans.flatMap(({ changes }) => changes.players ?? []),
  interactions: plans.flatMap(({ changes }) => changes.interactions ?? []),
  writes: plans.flatMap(({ changes }) => changes.writes ?? []),
  basedOn: game,
});

/** The result for a dry run, which creates no account and issues no code. */
const withoutCode = ({ row, alias, status, errors, needs_decision }: RowResult): RowResult => ({
  row,
  alias,
  status,
  ...(needs_decision === undefined ? {} : { needs_decision }),
  ...(errors === undefined ? {} : { errors }),
});

/**
 * Creates the accounts of a few rows in one transaction, or in several if their names have many words. On conflict, it
 * plans the rows again.
 */
const importBatch = async (
  call: ImportCall,
  rows: readonly ImportRow[],
  logWith: (results: readonly RowResult[]) => Write[],
): Promise<RowResult[]> => {
  const { body, services, timeLeft } = call;
  const pending = rows.map(({ row, alias }): RowResult => ({ row, alias, status: "pending" }));
  while (timeLeft() > BATCHES_RESERVE_MS) {
    try {
      const plans = await mapBusyToUnavailable(planRows(call, rows));
      const results = plans.map(({ result }) => result);
      const note = () => {
        for (const one of results) noteInvited(call.invitedBy, one);
      };
      if (body.dry_run === true) {
        note();
        return results.map(withoutCode);
      }
      const writes = [...(await writesOf(combinedChanges(plans, call))), ...logWith(results)];
      if (writes.length > MAX_WRITES && rows.length > 1) {
        const half = Math.ceil(rows.length / 2);
        const first = await importBatch(call, rows.slice(0, half), logWith);
        const logRest = (rest: readonly RowResult[]) => logWith([...first, ...rest]);
        return [...first, ...(await importBatch(call, rows.slice(half), logRest))];
      }
      await services.store.commit(writes, timeLeft);
      note();
      return results;
    } catch (error) {
      if (error instanceof DomainError && error.code === "unavailable") return pending;
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
  return pending;
};

/** The number of rows with each result. */
const countsOf = ({ body }: ImportCall, results: readonly RowResult[]) => {
  const count = (status: RowResult["status"]): number =>
    results.filter((result) => result.status === status).length;
  return {
    dry_run: body.dry_run === true,
    created: count("created"),
    invited: count("invited"),
    exists: count("exists"),
    rejected: count("rejected"),
    complete: results.length === body.rows.length && count("pending") === 0,
  };
};

/**
 * Creates an account for each valid row, and reports the errors of all other rows. A repeated request creates no
 * account twice. Each transaction also writes the audit log entry, with the counts so far.
 */
export const importPlayers = async (
  { auditLog, ...caller }: ReadCall & Pick<JobCall<unknown>, "auditLog">,
  body: Import,
) => {
  const call: ImportCall = { ...caller, body, invitedBy: new Map() };
  const { audit, game } = call;
  const results: RowResult[] = [];
  const shard = randomShard(game);
  const first = auditLog.entry("done");
  const logWith = (added: readonly RowResult[]): Write[] => {
    audit.details = { rows: body.rows.length, ...countsOf(call, [...results, ...added]) };
    const entry = auditLog.entry("done");
    if (entry === undefined || first === undefined) return [];
    return [{ put: logItem({ ...entry, log_id: first.log_id }, shard) }];
  };
  const isPending = ({ status }: RowResult): boolean => status === "pending";
  for (const batch of chunk(withoutDuplicates(body.rows, game.settings.unique_email), ROWS_PER_BATCH)) {
    const added = await importBatch(call, batch, logWith);
    if (body.dry_run !== true && !added.every(isPending)) auditLog.markWritten();
    results.push(...added);
  }
  const counts = countsOf(call, results);
  audit.details = { rows: results.length, ...counts };
  return { ...counts, rows: results };
};
