/** The waiver in the form to join: signed there, or later. */
import type { PublicWaiver } from "../../schemas.ts";
import { waiver as texts } from "../../text/waiver.ts";
import { Button } from "../../ui/button.tsx";
import { requireAnswers, Signature, signatureOf, type Typed } from "./signature.tsx";

/** In front of the names of the fields. */
const PREFIX = "signature.";

/** What was typed, as a request has it. @throws GameError with each answer that is missing */
export const completeSignature = (typed: Typed, waiver: PublicWaiver) => {
  requireAnswers(typed, waiver, PREFIX);
  return signatureOf(typed, waiver);
};

interface JoinWaiverProps {
  waiver: PublicWaiver;
  typed: Typed;
  set: (part: Partial<Typed>) => void;
  isLater: boolean;
  setLater: (isLater: boolean) => void;
}

export const JoinWaiver = ({ isLater, setLater, ...fields }: JoinWaiverProps) => (
  <>
    {isLater ? <p class="muted">{texts.laterText}</p> : <Signature {...fields} prefix={PREFIX} />}
    <Button text={isLater ? texts.now : texts.later} kind="quiet" onClick={() => setLater(!isLater)} />
  </>
);
