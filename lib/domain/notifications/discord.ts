/** The messages about interactions that are posted in Discord. */
import { RESULT_TEXTS } from "../game/seasonMessages.ts";
import type { SeasonResult } from "../game/seasonResult.ts";
import type { Kind } from "../hunts/interaction.ts";

/** What the text of an interaction depends on. Names are aliases; `null` for a player who is hidden or has left. */
interface DescribedInteraction {
  kind: Kind;
  actor: string | null;
  target: string | null;
  details: {
    shared_with?: readonly (string | null)[] | undefined;
    checkpoint_id?: string | undefined;
    of_missions?: true | undefined;
    drawn?: true | undefined;
    admitted?: true | undefined;
    withdrawn?: true | undefined;
    returned?: true | undefined;
    reward?: object | undefined;
    season_result?: SeasonResult | undefined;
  };
}

/** Discord's limit of a message, in characters. */
const MAX_LENGTH = 2_000;

/** Puts a text on one line and escapes its markdown, links and mentions. */
export const escapeMarkdown = (text: string): string =>
  text.replaceAll(/\s+/g, " ").replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);

const nameOf = (alias: string | null): string =>
  alias === null ? "somebody" : `**${escapeMarkdown(alias)}**`;

/** What somebody missed. */
const missed = ({ of_missions }: DescribedInteraction["details"]): string =>
  of_missions ? "too many missions" : "the checkpoint";

const TEXTS: Record<Kind, (interaction: DescribedInteraction) => string> = {
  hunt: ({ actor, target, details: { shared_with = [] } }) => {
    const tag =
      actor === null ? `${nameOf(target)} was tagged.` : `${nameOf(actor)} tagged ${nameOf(target)}.`;
    return shared_with.length === 0 ? tag : `${tag} The feeding fed ${shared_with.map(nameOf).join(", ")}.`;
  },
  corpsify: ({ target, details: { withdrawn } }) =>
    `${nameOf(target)} ${withdrawn ? "does not play any more" : "was killed by a game master"}.`,
  cure: ({ target }) => `${nameOf(target)} was cured.`,
  revive_human: ({ target, details: { admitted } }) =>
    `${nameOf(target)} ${admitted ? "joined the game" : "was revived as a human"}.`,
  revive_zombie: ({ target, details }) => {
    const { drawn, returned, checkpoint_id } = details;
    if (checkpoint_id !== undefined) return `${nameOf(target)} missed ${missed(details)} and is a zombie.`;
    if (drawn) return `${nameOf(target)} is an original zombie.`;
    return `${nameOf(target)} ${returned ? "is back as a zombie" : "was revived as a zombie"}.`;
  },
  feed: ({ target }) => `${nameOf(target)} was fed.`,
  add_day: () => "All zombies have one more day.",
  pause: () => "The game is paused.",
  resume: () => "The game goes on.",
  starve: ({ target }) => `${nameOf(target)} starved.`,
  checkpoint_kill: ({ target, details }) => `${nameOf(target)} missed ${missed(details)} and died.`,
  void: ({ target, details: { checkpoint_id, reward } }) => {
    if (checkpoint_id !== undefined) return `${nameOf(target)} was restored: the checkpoint was undone.`;
    return reward === undefined
      ? `A tag of ${nameOf(target)} was taken back.`
      : `What ${nameOf(target)} got was taken back.`;
  },
  revived_by_late_tag: ({ target }) =>
    `${nameOf(target)} had tagged somebody before starving, and lives again.`,
  // Only the player and game masters see it.
  reward: ({ target }) => `${nameOf(target)} was rewarded.`,
  finish: ({ details: { season_result: result } }) =>
    result === undefined ? "Play is over." : `The season is over. ${RESULT_TEXTS[result]}.`,
  reopen: () => "The season is not over yet. The game is paused.",
};

/** A message about interactions, one line for each; if it is too long, the last line says how many more there are. */
export const discordText = (interactions: readonly DescribedInteraction[]): string => {
  const lines = interactions.map((one) => TEXTS[one.kind](one));
  const isTooLong = (count: number) => lines.slice(0, count).join("\n").length > MAX_LENGTH - 20;
  let count = lines.length;
  while (isTooLong(count)) count -= 1;
  const more = lines.length - count;
  return [...lines.slice(0, count), ...(more === 0 ? [] : [`and ${more} more`])].join("\n");
};

/** A message about news: a title, and a text below it. */
export const discordNews = ({ title, content }: { title: string; content: string }): string => {
  const text = `**${escapeMarkdown(title)}**\n${escapeMarkdown(content)}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
};
