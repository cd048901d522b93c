/** The operations that race with registrations: those of newcomers, of players who come back, and of who decides about them. */
import { waiverVersion } from "../../../lib/store/waiver/texts.ts";
import { type GameState, type Name, WAIVER } from "./fixture.ts";
import { addressOf } from "./mailFixture.ts";
import { byMaster, crossed, type Operation, operation, PASSWORDS, type Pair, withKey } from "./operations.ts";

/** Somebody registers. @param more what is entered besides the alias and a password of their own */
const register = (kind: string, alias: string, more: object = {}): Operation => {
  const about = [alias, ...Object.entries(more).map(([name, value]) => `${name} ${JSON.stringify(value)}`)];
  return operation(kind, about, "POST /new", () => {
    return { body: { alias, password: PASSWORDS.newer, ...more } };
  });
};

const join = (alias: string, more?: object): Operation => register("new", alias, more);
const withEmail = (whose: string): object => ({ email: addressOf(whose) });

/** A player who has left registers again, with the password of then. */
const comeBack = (alias: string, more: object = {}): Operation =>
  register("return", alias, { password: PASSWORDS.old, ...more });

/** Somebody who does not know the password registers with the name or the address of a player who has left, or who leaves. */
const claim = (alias: string, more?: object): Operation => register("claim", alias, more);

/** A game master decides who somebody is who waits. */
const decide = (alias: Name, decision: "returned" | "newcomer"): Operation =>
  byMaster("decide", [alias, decision], () => ({ alias, decision }), "admit");

const admitList = (...aliases: string[]): Operation =>
  byMaster("admit_list", aliases, () => ({ aliases }), "admit");
const set = (settings: object): Operation => byMaster("settings", [JSON.stringify(settings)], () => settings);
const banAddress = (whose: string): Operation =>
  byMaster("ban", [`the address of ${whose}`], () => withEmail(whose));
const importRow = (alias: string, more: object = {}): Operation =>
  byMaster("import_players", [alias, ...Object.keys(more)], () => ({ rows: [{ alias, ...more }] }));
const correct = (alias: Name, whose: string): Operation =>
  byMaster("correct_email", [alias], () => ({ alias, email: addressOf(whose) }), "edit_player");

/** Operations of other files, by what they do to a player. */
interface Others {
  leave: (who: Name) => Operation;
  remove: (who: Name) => Operation;
  rename: (who: Name, alias: string) => Operation;
  editOther: (who: Name, change: { alias_to?: string; is_admin?: boolean }) => Operation;
  changePassword: (who: Name) => Operation;
  ban: (alias: string) => Operation;
  hunt: (by: Name, prey: Name) => Operation;
  voidHunt: (prey: "ivy" | "jon") => Operation;
  undo: Operation;
  /** On the whole game: what neither a newcomer may escape nor a player who is away. */
  onGame: readonly Operation[];
  /** The same of missions. A decision about somebody who waits is refused while a mission is being closed. */
  onMissions: readonly Operation[];
}

const SIGNED = { signature: { version: waiverVersion(WAIVER), full_name: "Own Name" } };

export const registrationPairs = (
  others: Others,
): readonly { states: readonly GameState[]; pairs: Pair[] }[] => {
  const { leave, remove, rename, editOther, changePassword, ban, hunt, voidHunt, undo, onGame, onMissions } =
    others;
  const nova = join("Nova", withEmail("Nova"));
  return [
    {
      states: ["addresses"],
      pairs: [
        ...crossed(
          [nova],
          [
            ...[nova, join("Nova"), join("N0va"), join("Luna", withEmail("Nova"))],
            ...[rename("Ada", "Nova"), editOther("Ada", { alias_to: "N0va" }), correct("Ada", "Nova")],
            ...[importRow("Nova"), importRow("Luna", withEmail("Nova"))],
            ...[ban("Nova"), banAddress("Nova")],
            ...[
              set({ registration: "closed" }),
              set({ registration: "approval" }),
              set({ unique_email: false }),
            ],
            ...[admitList("Nova"), ...onGame, ...onMissions],
          ],
        ),
        ...[withKey(nova), withKey(join("Nova", { login: true }))].map((one): Pair => [one, one]),
        [join("Ada2"), editOther("Ada", { is_admin: true })],
        [join("Luna", withEmail("Hal")), correct("Hal", "right.Hal")],
        ...crossed([join("Nova"), claim("Hal")], [rename("Hal", "Nova")]),
        ...crossed(
          [claim("Hal"), claim("Luna", withEmail("Hal")), comeBack("Hal")],
          [leave("Hal"), remove("Hal")],
        ),
        ...crossed([comeBack("Hal")], [changePassword("Hal")]),
      ],
    },
    {
      states: ["joinCode"],
      pairs: [
        [join("Nova", { join_code: "door" }), join("Luna", { join_code: "door" })],
        [join("Nova", { join_code: "door" }), set({ join_codes: [{ code: "door", uses: 2 }] })],
      ],
    },
    {
      states: ["waiver"],
      pairs: crossed(
        [join("Nova", SIGNED), join("Nova")],
        [set({ waiver: null }), set({ waiver: "I play at nobody's risk." })],
      ),
    },
    {
      states: ["away"],
      pairs: [
        ...crossed(
          [comeBack("Hal")],
          [
            ...[comeBack("Hal"), comeBack("Luna", withEmail("Hal")), claim("Hal"), importRow("Hal")],
            ...[decide("Lea", "returned"), decide("Lea", "newcomer"), leave("Lea"), remove("Lea")],
            ...[ban("Hal"), banAddress("Hal"), hunt("Yan", "Hal"), ...onGame, ...onMissions],
          ],
        ),
        ...crossed([comeBack("Ada")], [voidHunt("ivy"), comeBack("Ivy"), ...onGame, ...onMissions]),
        ...crossed([comeBack("Ivy")], [voidHunt("ivy"), voidHunt("jon"), hunt("Yan", "Hal")]),
        ...crossed(
          [claim("Hal")],
          [claim("Hal"), claim("Luna", withEmail("Hal")), decide("Lea", "returned"), ban("Hal")],
        ),
        ...crossed(
          [decide("Lea", "returned")],
          [
            ...[decide("Lea", "returned"), decide("Lea", "newcomer"), leave("Lea"), remove("Lea")],
            ...[ban("Lea"), hunt("Yan", "Hal"), ...onGame],
          ],
        ),
        ...crossed([admitList("Lea")], [comeBack("Hal"), claim("Hal")]),
      ],
    },
    {
      states: ["enforcedAway"],
      pairs: crossed([comeBack("Hal"), comeBack("Ada"), decide("Lea", "returned")], [undo]),
    },
  ];
};
