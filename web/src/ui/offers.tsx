/** Offers to turn on notifications and to install the app, after the player's first success. */
import { BellRing, Smartphone } from "lucide";
import { useEffect } from "preact/hooks";
import {
  declineOffers,
  install,
  isInstalled,
  isIos,
  mayOffer,
  pushState,
  readPushState,
  turnPushOn,
} from "../device.ts";
import { en } from "../en.ts";
import { useSubmit } from "../resource.ts";
import { ErrorNote } from "./feedback.tsx";
import { Icon } from "./icon.tsx";

/** A button that turns notifications on, or an explanation of why this device cannot have them. */
export const PushOffer = () => {
  const form = useSubmit(turnPushOn);
  useEffect(() => void readPushState(), []);
  const state = pushState.value;
  if (state === "install first")
    return (
      <>
        <p>{en.push.ios}</p>
        <ol class="steps">
          {en.push.iosSteps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </>
    );
  if (state === "denied") return <p>{en.push.denied}</p>;
  if (state === "unsupported") return <p>{en.push.unsupported}</p>;
  if (state !== "off") return null;
  return (
    <>
      <button
        type="button"
        class="button"
        data-kind="primary"
        disabled={form.isSending}
        onClick={form.submit}
      >
        <Icon of={BellRing} size={20} />
        {en.push.turnOn}
      </button>
      <ErrorNote error={form.error} />
    </>
  );
};

export const InstallOffer = () => {
  const show = install.value;
  return show === null ? null : (
    <button type="button" class="button" onClick={() => void show()}>
      <Icon of={Smartphone} size={20} />
      {en.push.install}
    </button>
  );
};

/** Both offers, until the player declines. The profile page always has them. */
export const Offers = () => {
  useEffect(() => void readPushState(), []);
  const canSubscribe = pushState.value === "off" || (isIos && !isInstalled);
  if (!mayOffer.value || (!canSubscribe && install.value === null)) return null;
  return (
    <section class="card stack" aria-label={en.push.title}>
      <h2>{en.push.title}</h2>
      <p class="muted">{en.push.why}</p>
      {canSubscribe ? <PushOffer /> : null}
      <InstallOffer />
      <button type="button" class="button" data-kind="quiet" onClick={declineOffers}>
        {en.push.notNow}
      </button>
    </section>
  );
};
