/** Invites imported players by mail, and shows what became of each mail and who came. */
import { Inbox, SendHorizontal } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { gm } from "../../../text/staff.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Empty, ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { command, sendsMail, storesMail } from "../../calls.ts";
import { changeCount } from "../../changes.ts";
import { fullName } from "../../staffPlayers.ts";
import { testInvitation } from "../../tools/mail/mail.tsx";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { useIncrementalList } from "../../ui/incrementalList.tsx";
import { ToOwnAddress } from "../../ui/ownAddress.tsx";
import "./invitations.css";
import { type Invited, readInvited, type Standing } from "./standing.ts";

/** The service takes this many aliases at once. */
const MAX_ALIASES = 500;

/** How long after a reading of mails that wait they are read again, in milliseconds. */
const REFRESH_MS = 3_000;

type Chosen = { aliases: string[] } | { everyone_not_accepted: true };

const previewSending = async (chosen: Chosen): Promise<Confirmation> => {
  const { count, left_out = [], sample } = await command("send_invitations", { ...chosen, dry_run: true });
  return {
    action: "send_invitations",
    title: gm.invitations.title(count),
    effects: [
      gm.invitations.effect,
      ...left_out.map(({ reason, count: n, aliases }) => gm.invitations.leftOut(reason, aliases, n)),
    ],
    submit: gm.invitations.title(count),
    isReady: () => count > 0,
    fields:
      sample == null ? null : (
        <section class="stack">
          <h3>{gm.invitations.sample(sample.alias)}</h3>
          <p>{sample.subject}</p>
          <p class="note mail-sample">{sample.text}</p>
        </section>
      ),
    run: async (reason, key) => {
      const done = await command("send_invitations", { ...chosen, ...reason }, key);
      return { text: gm.invitations.queued(done.count, done.complete) };
    },
  };
};

/** First those about whom something is to be done, then those who came. */
const ORDER: readonly Standing[] = ["bounced", "failed", "came", "none", "waiting", "sent"];

/** A player, on whose page a wrong address can be corrected. */
const Row = ({ invited: { player, standing, reason } }: { invited: Invited }) => (
  <li>
    <a class="row invited" href={paths.gm.player(player.player_ref)}>
      <span class="grow">
        <strong>{player.alias}</strong>
        <span class="sub">
          {[fullName(player), player.email, reason]
            .filter((text) => text !== null && text !== "")
            .join(" · ")}
        </span>
      </span>
      <span class="standing" data-standing={standing}>
        {player.email === null && standing === "none"
          ? gm.invitations.noAddress
          : gm.invitations.standings[standing]}
      </span>
    </a>
  </li>
);

const Sending = () => {
  const [all, setAll] = useState<readonly Invited[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  const changesSeen = changeCount.value;
  useEffect(() => {
    let isCurrent = true;
    readInvited().then(
      (found) => {
        if (!isCurrent) return;
        setAll(found);
        setError(null);
      },
      (reason: unknown) => {
        if (isCurrent) setError(reason);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [turn, changesSeen]);
  const isWaiting = all?.some(({ standing }) => standing === "waiting") === true;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setTurn(turn + 1), REFRESH_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, all]);
  const sorted = (all ?? []).toSorted(
    (one, other) =>
      ORDER.indexOf(one.standing) - ORDER.indexOf(other.standing) ||
      one.player.alias.localeCompare(other.player.alias),
  );
  const { first, more } = useIncrementalList(sorted);
  const number = (wanted: Standing): number => sorted.filter(({ standing }) => standing === wanted).length;
  const fresh = sorted.filter(({ standing, player }) => standing === "none" && player.email !== null);
  const again = sorted.filter(({ standing }) => standing === "sent" || standing === "failed");
  const isFirst = sorted.every(({ standing }) => standing === "none");
  const forFresh: Chosen = isFirst
    ? { everyone_not_accepted: true }
    : { aliases: fresh.slice(0, MAX_ALIASES).map(({ player }) => player.alias) };
  return (
    <>
      <ErrorNote error={error} onRetry={() => setTurn(turn + 1)} />
      {all === null && error === null ? <Skeleton /> : null}
      {all === null ? null : (
        <>
          {sorted.length === 0 ? (
            <Empty>{gm.invitations.nobody}</Empty>
          ) : (
            <p class="note" aria-live="polite">
              {gm.invitations.summary(ORDER.map((standing) => [standing, number(standing)] as const))}
            </p>
          )}
          <div class="actions">
            {sorted.length === 0 ? (
              <ButtonLink text={gm.invitations.import} kind="primary" href={paths.gm.import} />
            ) : null}
            {fresh.length === 0 ? null : (
              <CommandButton
                action="send_invitations"
                icon={SendHorizontal}
                kind="primary"
                text={gm.invitations.title(isFirst ? fresh.length : Math.min(fresh.length, MAX_ALIASES))}
                preview={() => previewSending(forFresh)}
              />
            )}
            {again.length === 0 ? null : (
              <CommandButton
                action="send_invitations"
                text={gm.invitations.again(again.length)}
                preview={() => previewSending({ everyone_not_accepted: true })}
              />
            )}
            <ToOwnAddress>
              <CommandButton
                action="send_mail"
                text={gm.invitations.testButton}
                confirmation={testInvitation}
              />
            </ToOwnAddress>
            {storesMail() ? <ButtonLink text={gm.nav.outbox} icon={Inbox} href={paths.gm.outbox} /> : null}
          </div>
          <ul class="list">
            {first.map((invited) => (
              <Row key={invited.player.alias} invited={invited} />
            ))}
          </ul>
          {more}
        </>
      )}
    </>
  );
};

export const Invitations = () => (
  <main class="page stack">
    <h1>{gm.nav.invitations}</h1>
    <p class="muted">{gm.invitations.lead}</p>
    {storesMail() ? <p class="muted">{gm.invitations.stored}</p> : null}
    {sendsMail() ? <Sending /> : <Empty>{gm.invitations.noMail}</Empty>}
  </main>
);
