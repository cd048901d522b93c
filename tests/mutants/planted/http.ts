/** Bugs in what goes in, what goes out, and in which order a request is judged. */
import type { Bug } from "../bug.ts";

const endpoint = "lib/http/endpoint.ts";
const views = "lib/http/views.ts";
const replies = "lib/http/replies.ts";
const enforce = "lib/http/enforce.ts";

export const HTTP: readonly Bug[] = [
  {
    name: "mail-addresses-are-public",
    file: views,
    find: "export const PublicPlayer = z.lazy(() =>\n  z.object({\n",
    replace: "export const PublicPlayer = z.lazy(() =>\n  z.object({\n    email: z.optional(OptionalText),\n",
    also: [
      {
        find: "): PublicPlayer => ({\n  alias: player.alias,",
        replace:
          '): PublicPlayer => ({\n  ...("email" in player ? { email: player.email } : {}),\n  alias: player.alias,',
      },
    ],
    by: [["contract/answers", "tells a player nothing of another"]],
    harm: "every player reads every other's mail address",
  },
  {
    name: "a-dead-humans-code-is-shown",
    file: views,
    find: 'tag_code: state === "human" ? player.tag_code : null,',
    replace: "tag_code: player.tag_code,",
    by: [["unit/views", "its code to a human alone"]],
    harm: "the dead read out codes that look alive",
  },
  {
    name: "notes-are-for-everybody",
    file: views,
    find: "  viewer.is_admin || viewer.player_id === actor;",
    replace: "  viewer.is_admin || actor !== null;",
    by: [["behaviour/transitions", "shows its note and place to its hunter and to game masters only"]],
    harm: "everybody reads where a zombie hunts, to the metre",
  },
  {
    name: "reasons-are-for-everybody",
    file: views,
    find: "  is_admin || player_id === target || player_id === hunter;",
    replace: "  is_admin || target !== null || hunter !== player_id;",
    by: [["behaviour/void", "why is told to those whom it was about"]],
    harm: "what a game master wrote about a cheat is read by all",
  },
  {
    name: "a-pass-of-last-week-is-shown",
    file: views,
    find: "checkpoint !== null && checkpoint.checkpoint_id === player.checkpoint_id ? player.passed_at : null,",
    replace: "checkpoint !== null ? player.passed_at : null,",
    by: [["behaviour/checkpoint", "is set, shown, passed, replaced and cleared"]],
    harm: "players stay at home because they seem to have passed",
  },
  {
    name: "the-body-is-judged-before-the-token",
    file: endpoint,
    find: "    const who = await enter(given, headers.authorization, urlId, now);",
    replace:
      "    await readRequest(given, event, headers, { source: sourceOfEvent(event), now });\n" +
      "    const who = await enter(given, headers.authorization, urlId, now);",
    by: [["battery/access", "'POST /admin/corpsify/{url_id}' is for whoever holds"]],
    harm: "who has no token learns what an endpoint takes, and makes it work",
  },
  {
    name: "a-busy-database-is-a-fault",
    file: replies,
    find: "const error = thrown instanceof DatabaseBusy ? UNAVAILABLE() : thrown;",
    replace: "const error = thrown;",
    by: [["unit/replies", "a database that is busy"]],
    harm: "clients do not try again what would succeed in a second",
  },
  {
    name: "notifications-answer-503",
    file: replies,
    find: "statusCode: status === 503 ? 500 : status,",
    replace: "statusCode: status,",
    by: [["unit/replies", "a database that is busy"]],
    harm: "the seed's table has no 503 there, and a front end does not know it",
  },
  {
    name: "what-broke-is-told",
    file: replies,
    find: "if (!(error instanceof Refusal)) return INTERNAL;",
    replace: "if (!(error instanceof Refusal)) return { ...INTERNAL, detail: String(error) };",
    by: [["contract/access", "is 500 without internals when the profile is broken"]],
    harm: "the database's own words, with keys and names, go out to whoever asks",
  },
  {
    name: "a-key-is-everybodys",
    file: endpoint,
    find: 'who: who?.player.player_id ?? definition.onceOf?.(body) ?? "",',
    replace: 'who: "",',
    by: [["behaviour/accounts", "gives a hunt's answer again"]],
    harm: "two phones that both count from one: the second player's tag is answered with the first's",
  },
  {
    name: "the-fingerprint-has-no-body",
    file: "lib/http/payload.ts",
    find: "{canonical(body)}`)",
    replace: "{typeof body}`)",
    by: [["unit/border", "tells requests apart"]],
    harm: "another tag under the same key is answered as if it had counted",
  },
  {
    name: "the-fingerprint-depends-on-the-order-of-keys",
    file: "lib/http/payload.ts",
    find: "    .sort(([one], [other]) => (one < other ? -1 : 1))\n",
    replace: "",
    by: [["unit/border", "is the same for the same request however its keys stand"]],
    harm: "a retry by another library is refused with 422",
  },
  {
    name: "a-cursor-fits-any-filter",
    file: "lib/http/paging.ts",
    find: "Buffer.from(JSON.stringify([list, filters]));",
    replace: "Buffer.from(JSON.stringify([list, typeof filters]));",
    by: [["unit/border", "of another list, another filter or another deployment is refused"]],
    harm: "a page of the log goes on in the middle of another",
  },
  {
    name: "a-tag-of-tomorrow-counts",
    file: "lib/http/huntScene.ts",
    find: 'if (huntedAt > now) faults.push({ path: "hunted_at", message: "is in the future" });',
    replace: "",
    by: [["contract/input", "is a hunt a moment in the future"]],
    harm: "a zombie eats tomorrow's meals today",
  },
  {
    name: "a-meal-is-shared-with-oneself",
    file: "lib/http/huntScene.ts",
    find: "const seen = new Set([foldAlias(hunter.alias)]);",
    replace: "const seen = new Set<string>();",
    by: [
      ["contract/input", "is a hunt a moment in the future"],
      ["behaviour/transitions", "can be shared with two"],
    ],
    harm: "a hunter who names themselves gets an error page",
  },
  {
    name: "the-killing-ends-after-one-clean-pass",
    file: enforce,
    find: "const CLEAN_PASSES = 2;",
    replace: "const CLEAN_PASSES = 1;",
    by: [["behaviour/inside/edges", "finds who slips past a pass"]],
    harm: "who changes their name at the right moment survives the checkpoint",
  },
  {
    name: "the-killing-takes-who-has-just-passed",
    file: enforce,
    find: '      if (verdict === "spared") safe.add(player.player_id);\n      return typeof verdict === "string" ? null : { outcome: verdict };',
    replace:
      '      if (verdict === "spared") safe.add(player.player_id);\n      return verdict === "unconcerned" ? null : { outcome: typeof verdict === "string" ? { players: [{ before: player, after: asCorpse(player) }], interactions: [] } : verdict };',
    also: [
      {
        find: 'import { Refusal } from "../domain/refusal.ts";',
        replace:
          'import { Refusal } from "../domain/refusal.ts";\nimport { asCorpse } from "../domain/transitions.ts";',
      },
    ],
    by: [["behaviour/checkpoint", "kills just them"]],
    harm: "a player who went through the checkpoint is dead",
  },
  {
    name: "the-checkpoint-stays-taken",
    file: enforce,
    find: "if (before.enforcing !== jobId) return [];",
    replace: "if (before.enforcing !== null) return [];",
    by: [
      ["behaviour/checkpoint", "kills just them"],
      ["behaviour/inside/killAllResumes", "log shows its end"],
    ],
    harm: "no other checkpoint can be set for the rest of the week",
  },
  {
    name: "the-sweep-forgets-cuts-at-once",
    file: "lib/http/sweep.ts",
    find: "const after = dropCuts(before, now - CUT_KEPT);",
    replace: "const after = dropCuts(before, now + CUT_KEPT);",
    by: [["behaviour/inside/edges", "stay for an hour"]],
    harm: "a zombie that starved just before an added day is alive again for a command that had begun",
  },
  {
    name: "feeding-goes-by-a-stale-list",
    file: "lib/http/feed.ts",
    find: 'if (stateOf(target, game, now) !== "zombie") return null;',
    replace: "if (target.deadline === null) return null;",
    by: [["behaviour/inside/bulk", "leaves out whom it had chosen and who has starved"]],
    harm: "feeding the hungriest is refused because one of them has just starved",
  },
  {
    name: "a-preview-kills",
    file: "lib/http/killAll.ts",
    find: "if (body.dry_run !== true) {",
    replace: "if (body.dry_run !== null) {",
    by: [["behaviour/checkpoint", "after a preview that kills nobody"]],
    harm: "the game master only wanted to see how many there are",
  },
  {
    name: "a-preview-takes-a-tag-back",
    file: "lib/http/voidHunt.ts",
    find: "changes: dry_run ? {} : { ...outcome,",
    replace: "changes: { ...outcome,",
    by: [["behaviour/void", "makes the prey human, takes the kill"]],
    harm: "looking at what a void would do does it",
  },
  {
    name: "a-race-is-judged-by-what-was-read-first",
    file: "lib/http/scene.ts",
    find: "      first = false;\n",
    replace: "",
    by: [["behaviour/races", "both count, and the hunter has two kills"]],
    harm: "who loses a race loses it again and again, and hears that the service is busy",
  },
  {
    name: "a-wrong-join-code-will-do",
    file: "lib/http/joinCode.ts",
    find: 'return right ? [] : [{ path: "join_code", message: "is not the one of this game" }];',
    replace: "return right !== null ? [] : [];",
    by: [["contract/input", "the join code as well as the rest"]],
    harm: "anybody on the campus network plays",
  },
  {
    name: "codes-are-looked-up-in-a-pause",
    file: "lib/http/hunt.ts",
    find: "    mayHunt(hunter, game, moment);\n    const scene",
    replace: "    const scene",
    by: [["behaviour/inside/edges", "reads nothing of a code"]],
    harm: "whoever may not hunt makes the database look for codes all the same",
  },
];
