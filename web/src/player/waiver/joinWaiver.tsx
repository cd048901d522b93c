/** The waiver in the form to join: signed there, or later. */
import type { PublicWaiver } from "../../schemas.ts";
import { waiver as texts } from "../../text/waiver.ts";
import { Button } from "../../ui/button.tsx";
import { isComplete, Signature, signatureOf, type Typed } from "./signature.tsx";

export { isComplete, signatureOf };

interface JoinWaiverProps {
  waiver: PublicWaiver;
  typed: Typed;
  set: (part: Partial<Typed>) => void;
  isTried: boolean;
  isLater: boolean;
  setLater: (isLater: boolean) => void;
}

export const JoinWaiver = ({ isLater, setLater, ...fields }: JoinWaiverProps) => (
  <>
    {isLater ? <p class="muted">{texts.laterText}</p> : <Signature {...fields} prefix="signature." />}
    <Button text={isLater ? texts.now : texts.later} kind="quiet" onClick={() => setLater(!isLater)} />
  </>
);
