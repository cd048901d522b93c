/** Imports players from a CSV file: a dry run with the errors of each row, then the accounts and their invitations. */
import { useState } from "preact/hooks";
import { useSubmit } from "../resource.ts";
import { ErrorNote } from "../ui/feedback.tsx";
import { command, type Result } from "./calls.ts";
import { notifyChanged } from "./confirmation.tsx";
import { fromCsv, saveFile, toCsv } from "./csv.ts";
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

const saveInvitations = ({ rows }: Imported): void => {
  const invited = rows.filter(({ recovery_code }) => recovery_code !== undefined);
  const lines = invited.map(({ alias, recovery_code = "", expires_at = "" }) => [
    alias ?? "",
    recovery_code,
    expires_at,
  ]);
  saveFile("invitations.csv", toCsv([["alias", "recovery_code", "expires_at"], ...lines]));
};

const Outcome = ({ result }: { result: Imported }) => {
  const rejectedRows = result.rows.filter(({ status }) => status === "rejected");
  return (
    <>
      <p class="note">{gm.import.summary(result)}</p>
      {rejectedRows.length === 0 ? null : (
        <ul class="list">
          {rejectedRows.map(({ row, alias, errors = [] }) => (
            <li key={row} class="row">
              <p class="grow">
                <strong>{gm.import.row(row, alias)}</strong>
                <span class="sub">{errors.map(({ message }) => message).join(" ")}</span>
              </p>
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
  const [preview, setPreview] = useState<Imported | null>(null);
  const [done, setDone] = useState<Imported | null>(null);
  const read = async (file: File | undefined): Promise<void> => {
    setPreview(null);
    setDone(null);
    setRows([]);
    if (file === undefined) return;
    const found = rowsOf(await file.text());
    if (found === null) return setFileError(gm.import.noAlias);
    if (found.length === 0 || found.length > MAX_ROWS)
      return setFileError(gm.import.size(found.length, MAX_ROWS));
    setFileError(null);
    setRows(found);
    setPreview(await command("/admin/import_players/{url_id}", { rows: found, dry_run: true }));
  };
  const create = useSubmit(async () => {
    const result = await command("/admin/import_players/{url_id}", { rows });
    setDone(result);
    saveInvitations(result);
    notifyChanged();
  });
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
      {preview !== null && done === null ? (
        <>
          <Outcome result={preview} />
          <div class="actions">
            <button
              type="button"
              class="button"
              data-kind="primary"
              disabled={preview.created === 0 || create.isSending}
              onClick={() => void create.submit()}
            >
              {gm.import.create(preview.created)}
            </button>
          </div>
        </>
      ) : null}
      {done === null ? null : (
        <>
          <Outcome result={done} />
          <p>{gm.import.keep}</p>
          <div class="actions">
            <button type="button" class="button" onClick={() => saveInvitations(done)}>
              {gm.import.save}
            </button>
          </div>
        </>
      )}
    </section>
  );
};
