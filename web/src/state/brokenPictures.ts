/** Loads pictures again that the gateway turned away, which no browser does by itself. */
import { waitMs } from "../../../client/src/retry.ts";

/** An error does not say whether the picture was turned away or does not exist, so there are few. */
const MAX_RETRIES = 3;
/** How often each element's picture was loaded again. */
const retries = new WeakMap<Element, { url: string; count: number }>();

type Picture = HTMLImageElement | SVGImageElement;

/** Loads a picture again after a while, at most three times. */
export const loadAgain = (picture: Picture): void => {
  const name = picture instanceof HTMLImageElement ? "src" : "href";
  const url = picture.getAttribute(name);
  if (url === null) return;
  const before = retries.get(picture);
  const count = before?.url === url ? before.count + 1 : 1;
  if (count > MAX_RETRIES) return;
  retries.set(picture, { url, count });
  setTimeout(
    () => {
      // The page may show another one meanwhile.
      if (picture.getAttribute(name) === url) picture.setAttribute(name, url);
    },
    waitMs(count, null),
  );
};

/** Loads the pictures of the page again after an error. */
export const repeatPictures = (): void =>
  addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLImageElement || target instanceof SVGImageElement) loadAgain(target);
    },
    true,
  );
