/** What a signature is asked besides the name: its checks, and its encryption. */
import { invalidRequest } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { ValidationIssue } from "../../domain/validation.ts";
import { SealedAnswers, type Signature } from "../../domain/waiver/signature.ts";
import { localDate } from "../../domain/waiver/waiver.ts";
import type { Services } from "../../lambda/services.ts";
import { seal, unseal } from "../../secrets/seal.ts";

/** The answers that a request gives. */
export interface Answers {
  birth_date?: string | undefined;
  emergency_contact?: string | undefined;
  photo_consent?: boolean | undefined;
}

type KeyServices = Pick<Services, "cursorKeys">;

/** Encrypts answers of a signature. @throws DomainError `unavailable` */
export const sealAnswers = (
  { cursorKeys }: KeyServices,
  id: string,
  answers: SealedAnswers,
  now: number,
): Promise<string> => seal(cursorKeys, id, JSON.stringify(answers), now);

/** Decrypts them. @returns `null` if their key is gone. @throws DomainError `unavailable` */
export const unsealAnswers = async (
  { cursorKeys }: KeyServices,
  { signature_id, sealed }: Pick<Signature, "signature_id" | "sealed">,
  now: number,
): Promise<SealedAnswers | null> => {
  const json = await unseal(cursorKeys, signature_id, sealed, now);
  return json === null ? null : SealedAnswers.parse(JSON.parse(json));
};

/** What a signature of the present waiver is asked. A minimum age asks for the birth date. */
export const asksOf = ({ settings: { waiver_ask, minimum_age } }: Game): Game["settings"]["waiver_ask"] =>
  minimum_age === null || waiver_ask.includes("birth_date") ? waiver_ask : ["birth_date", ...waiver_ask];

const OLDEST = "1900-01-01";

/**
 * Checks answers.
 * @param required what has to be answered
 * @param path of the answers in the body, with a dot after it; empty at the top
 * @throws DomainError `invalid_request`, which names every answer that is missing or not asked for
 */
export const requireAnswers = (
  answers: Answers,
  game: Game,
  now: number,
  { required, path = "" }: { required: Game["settings"]["waiver_ask"]; path?: string },
): void => {
  const asked = asksOf(game);
  const issues: ValidationIssue[] = [];
  for (const name of ["birth_date", "emergency_contact", "photo_consent"] as const) {
    const isGiven = answers[name] !== undefined;
    if (isGiven && !asked.includes(name))
      issues.push({ path: `${path}${name}`, message: "is not asked for" });
    if (!isGiven && required.includes(name)) issues.push({ path: `${path}${name}`, message: "is missing" });
  }
  const { birth_date: born } = answers;
  if (born !== undefined && (born < OLDEST || born > localDate(game, now)))
    issues.push({ path: `${path}birth_date`, message: "must be a date of birth, from 1900 to today" });
  if (issues.length > 0) throw invalidRequest(...issues);
};
