/** Imports players from a CSV file: a dry run with the errors of each row, then the accounts and their invitations. */
import { useState } from "preact/hooks";
import { useSubmit } from "../resource.ts";
import { ErrorNote } from "../ui/feedback.tsx";
import { UseInstead } from "../ui/field.tsx";
import { command, type Result } from "./calls.ts";
import { notifyChanged } from "./confirmation.tsx";
import { fromCsv, toCsv } from "./csv.ts";
import { saveFile } from "./saveFile.ts";
import { gm } from "./texts.ts";

type Imported = Result<"/admin/import_players/{url_id}">;
type Row = Record<string, string | string[]>;

const COLUMNS = ["alias", "first_name", "last_name", "email", "labels"];
const MAX_ROWS = 500;

/** Parses the rows by their header. Returns `null` if the file has no column `alias`. */
const rowsOf = (text: string): Row[] | null => {
  const [head = [], ...rows] = fromCsv(text);
  const names = head.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, "_"),
  );
  if (!names.includes("alias")) return null;
  return rows.map((cells) => {
    const row: Row = {};
    for (const [at, name] of names.entries()) {
      const value = (cells[at] ?? "").trim();
      if (!COLUMNS.includes(name) || value === "") continue;
      row[name] = name === "labels" ? value.split(/[\s,]+/) : value;
    }
    return row;
  });
};

/** The results after the same rows were sent again. A player who was created before keeps the invitation from then. */
const withEarlier = (again: Imported, earlier: Imported | null): Imported => ({
  ...again,
  rows: again.rows.map((row, at) => {
    const before = earlier?.rows[at];
    return before?.recovery_code === undefined ? row : before;
  }),
});

/** The number of rows that are still to be created, as far as it is known: some may have errors. */
const leftOf = ({ rows, dry_run }: Imported): number =>
  rows.filter(({ status }) => status === "pending" || (dry_run && status === "created")).length;

const saveInvitations = ({ rows }: Imported): void => {
  const invited = rows.filter(({ recovery_code }) => recovery_code !== undefined);
  const lines = invited.map(({ alias, recovery_code = "", expires_at = "" }) => [
    alias ?? "",
    recovery_code,
    expires_at,
  ]);
  saveFile("invitations.csv", toCsv([["alias", "recovery_code", "expires_at"], ...lines]));
};

type RowErrors = NonNullable<Imported["rows"][number]["errors"]>;

/** The alias that the service proposes for a row. */
const suggestionIn = (errors: RowErrors): string | undefined => {
  const suggestion = errors.find(({ path }) => path === "alias")?.params?.suggestion;
  return suggestion === undefined ? undefined : String(suggestion);
};

interface OutcomeProps {
  result: Imported;
  /** Takes the alias that the service proposes for a row, which is numbered from 1. */
  onAlias: (row: number, alias: string) => void;
}

const Outcome = ({ result, onAlias }: OutcomeProps) => {
  const notedRows = result.rows.filter(
    ({ status, needs_decision }) => status === "rejected" || needs_decision,
  );
  return (
    <>
      <p class="note">{gm.import.summary(result)}</p>
      {notedRows.length === 0 ? null : (
        <ul class="list">
          {notedRows.map(({ row, alias, needs_decision, errors = [] }) => (
            <li key={row} class="row">
              <p class="grow">
                <strong>{gm.import.row(row, alias)}</strong>
                <span class="sub">
                  {needs_decision === true
                    ? gm.import.needsDecision(!result.dry_run)
                    : errors.map(({ message }) => message).join(" ")}
                </span>
              </p>
              <UseInstead suggestion={suggestionIn(errors)} onUse={(alias) => onAlias(row, alias)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

export const Import = () => {
  const [rows, setRows] = useState<Row[]>([]);
  const [fileError, setFileError] = useState<string | null>(null);
  /** The result of the dry run, then of the import. */
  const [result, setResult] = useState<Imported | null>(null);
  const read = async (file: File | undefined): Promise<void> => {
    setResult(null);
    setRows([]);
    if (file === undefined) return;
    const found = rowsOf(await file.text());
    if (found === null) return setFileError(gm.import.noAlias);
    if (found.length === 0 || found.length > MAX_ROWS)
      return setFileError(gm.import.size(found.length, MAX_ROWS));
    setFileError(null);
    setRows(found);
    setResult(await command("/admin/import_players/{url_id}", { rows: found, dry_run: true }));
  };
  const useAlias = async (row: number, alias: string): Promise<void> => {
    const changed = rows.map((one, at) => (at + 1 === row ? { ...one, alias } : one));
    setRows(changed);
    setResult(await command("/admin/import_players/{url_id}", { rows: changed, dry_run: true }));
  };
  const create = useSubmit(async () => {
    const done = withEarlier(await command("/admin/import_players/{url_id}", { rows }), result);
    setResult(done);
    saveInvitations(done);
    notifyChanged();
  });
  const left = result === null ? 0 : leftOf(result);
  const [error, setError] = useState<unknown>(null);
  return (
    <section class="card stack" aria-label={gm.players.import}>
      <p class="muted">{gm.import.hint}</p>
      <input
        class="file"
        type="file"
        accept=".csv,text/csv"
        aria-label={gm.import.file}
        onChange={({ currentTarget }) => {
          setError(null);
          read(currentTarget.files?.[0]).catch(setError);
        }}
      />
      {fileError === null ? null : (
        <p class="note" role="alert">
          {fileError}
        </p>
      )}
      <ErrorNote error={error} />
      <ErrorNote error={create.error} />
      {result === null ? null : (
        <>
          <Outcome
            result={result}
            onAlias={(row, alias) => {
              useAlias(row, alias).catch(setError);
            }}
          />
          {result.dry_run ? null : <p>{gm.import.keep}</p>}
          <div class="actions">
            {result.dry_run || left > 0 ? (
              <button
                type="button"
                class="button"
                data-kind="primary"
                disabled={left === 0 || create.isSending}
                onClick={() => void create.submit()}
              >
                {gm.import.create(left)}
              </button>
            ) : null}
            {result.dry_run ? null : (
              <button type="button" class="button" onClick={() => saveInvitations(result)}>
                {gm.import.save}
              </button>
            )}
          </div>
        </>
      )}
    </section>
  );
};
