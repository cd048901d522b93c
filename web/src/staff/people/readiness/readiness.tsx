/** Who is ready to play: signed, oriented, with a picture and a printed code; reminders, papers, export and print. */
import { Download, PenLine, Printer, SendHorizontal } from "lucide";
import { useState } from "preact/hooks";
import { PRINTED_LABEL } from "../../../../../lib/domain/accounts/printedLabel.ts";
import { paths } from "../../../paths.ts";
import { useDraft } from "../../../state/draft.ts";
import { useSubmit } from "../../../state/resource.ts";
import { gm } from "../../../text/staff.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Empty, ErrorNote } from "../../../ui/feedback.tsx";
import { Markdown } from "../../../ui/markdown.tsx";
import { Avatar, StateBadge } from "../../../ui/player.tsx";
import { command, may } from "../../calls.ts";
import { notifyChanged } from "../../changes.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import { useIncrementalList } from "../../ui/incrementalList.tsx";
import { Select, TextArea } from "../../ui/inputs.tsx";
import { Loading } from "../../ui/loading.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { Paper, Signed } from "./paper.tsx";
import {
  exportSignatures,
  type Lack,
  type ReadyPlayer,
  readReadiness,
  readSignatures,
} from "./signatures.ts";
import "./readiness.css";

const REMINDED = "to-remind";
/** The service labels at most this many players at once. */
const MAX_LABELLED = 50;

const labelAll = async (players: readonly ReadyPlayer[], change: { add?: string[]; remove?: string[] }) => {
  for (let at = 0; at < players.length; at += MAX_LABELLED) {
    const aliases = players.slice(at, at + MAX_LABELLED).map(({ alias }) => alias);
    await command("label", { aliases, ...change });
  }
};

/** A message to those in the list. It goes to a label, so that everything else is as on the page Send. */
const Reminder = ({
  players,
  others,
}: {
  players: readonly ReadyPlayer[];
  others: readonly ReadyPlayer[];
}) => {
  const draft = useDraft("reminder", gm.readiness.reminder);
  return (
    <details class="card">
      <summary>{gm.readiness.remind(players.length)}</summary>
      <div class="stack">
        <TextArea label={gm.readiness.message} name="reminder" value={draft.value} onChange={draft.set} />
        <CommandButton
          action="send"
          icon={SendHorizontal}
          text={gm.readiness.remind(players.length)}
          confirmation={{
            action: "send",
            title: gm.readiness.remind(players.length),
            effects: [draft.value, gm.readiness.labelled(REMINDED)],
            run: async (reason, key) => {
              await labelAll(others, { remove: [REMINDED] });
              await labelAll(players, { add: [REMINDED] });
              const to = { player_groups: `label:${REMINDED}` };
              const message = { title: gm.readiness.reminderTitle, content: draft.value, ...to };
              await command("send", { ...message, ...reason }, key);
              draft.clear();
              return { text: gm.readiness.reminded(players.length) };
            },
          }}
        />
      </div>
    </details>
  );
};

type Printed = Awaited<ReturnType<typeof readSignatures>>;

/** All signatures with the texts that were signed, on paper. */
const PrintView = ({ printed: { signatures, texts } }: { printed: Printed }) => (
  <section class="signature-sheets" aria-label={gm.readiness.sheet}>
    {[...texts].map(([version, text]) => (
      <article key={version}>
        <h2>{gm.readiness.version(version)}</h2>
        <Markdown text={text} />
        <table>
          <thead>
            <tr>
              {gm.readiness.printColumns.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {signatures
              .filter((one) => one.version === version)
              .map((one, at) => (
                <tr key={at}>
                  {gm.readiness.printRow(one).map((cell, column) => (
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </article>
    ))}
  </section>
);

type Open = { of: "paper" | "signed"; player: ReadyPlayer } | null;

export const ReadinessPage = () => {
  const polled = usePolled(readReadiness);
  const [lack, setLack] = useState<Lack | "all">("all");
  const [open, setOpen] = useState<Open>(null);
  const [printed, setPrinted] = useState<Printed | null>(null);
  const isGameMaster = may("signatures");
  const saving = useSubmit(exportSignatures);
  const printing = useSubmit(async () => {
    setPrinted(await readSignatures(false));
    // Once it is drawn.
    setTimeout(() => print(), 100);
  });
  const marking = useSubmit(async () => {
    const unprinted = shown.filter(({ lacks, state }) => state === "human" && lacks.includes("code"));
    await labelAll(unprinted, { add: [PRINTED_LABEL] });
    notifyChanged();
    showToast(gm.readiness.marked(unprinted.length));
  });
  const all = polled.value?.players ?? [];
  const isShown = ({ lacks }: ReadyPlayer): boolean => lack === "all" || lacks.includes(lack);
  const shown = all.filter(isShown);
  const { first, more } = useIncrementalList(shown);
  return (
    <main class="page wide stack">
      <header class="head no-print">
        <div>
          <h1>{gm.nav.readiness}</h1>
          {polled.value === null ? null : <p class="muted">{gm.common.players(shown.length)}</p>}
        </div>
        {isGameMaster ? (
          <div class="actions">
            <Button
              text={gm.readiness.export}
              icon={Download}
              disabled={saving.isSending}
              onClick={(event) => void saving.submit(event)}
            />
            <Button
              text={gm.print.submit}
              icon={Printer}
              disabled={printing.isSending}
              onClick={(event) => void printing.submit(event)}
            />
            <ButtonLink text={gm.game.waiverSettings} icon={PenLine} href={paths.gm.section("waiver")} />
          </div>
        ) : null}
      </header>
      <div class="no-print stack">
        {isGameMaster ? <p class="muted">{gm.readiness.logged}</p> : null}
        <ErrorNote error={saving.error ?? printing.error ?? marking.error} />
        <Loading of={polled} />
        {polled.value === null ? null : (
          <Select
            label={gm.readiness.filter}
            name="lacks"
            value={lack}
            options={gm.readiness.lacks(all.map(({ lacks }) => lacks))}
            onChange={setLack}
          />
        )}
        {may("send") && shown.length > 0 && lack !== "all" ? (
          <Reminder players={shown} others={all.filter((one) => !isShown(one))} />
        ) : null}
        {may("label") && lack === "code" && shown.length > 0 ? (
          <div class="actions">
            <ButtonLink text={gm.readiness.cards} icon={Printer} href={paths.gm.print} />
            <Button
              text={gm.readiness.mark}
              disabled={marking.isSending}
              onClick={(event) => void marking.submit(event)}
            />
          </div>
        ) : null}
        {open?.of === "paper" ? (
          <Paper key={open.player.player_ref} player={open.player} close={() => setOpen(null)} />
        ) : null}
        {open?.of === "signed" ? (
          <Signed key={open.player.player_ref} player={open.player} close={() => setOpen(null)} />
        ) : null}
        {polled.value !== null && shown.length === 0 ? <Empty>{gm.readiness.nobody}</Empty> : null}
        <ul class="list readiness">
          {first.map((player) => (
            <li key={player.player_ref} class="row">
              <a class="row grow" href={paths.gm.player(player.player_ref)}>
                <Avatar player={player} />
                <span class="grow">
                  {player.alias}
                  <span class="sub">{gm.readiness.line(player)}</span>
                </span>
              </a>
              <StateBadge state={player.state} />
              {isGameMaster && player.signed_at !== null ? (
                <Button
                  text={gm.readiness.signature}
                  aria-label={gm.readiness.showOf(player.alias)}
                  kind="small"
                  onClick={() => setOpen({ of: "signed", player })}
                />
              ) : null}
              {player.lacks.includes("signature") || player.lacks.includes("age") ? (
                <Button
                  text={gm.readiness.paperButton}
                  aria-label={gm.readiness.paperOf(player.alias)}
                  kind="small"
                  onClick={() => setOpen({ of: "paper", player })}
                />
              ) : null}
            </li>
          ))}
        </ul>
        {more}
      </div>
      {printed === null ? null : <PrintView printed={printed} />}
    </main>
  );
};
