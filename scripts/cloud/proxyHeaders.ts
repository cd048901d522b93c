/** The headers of requests to a deployment that has a proxy before it. */
import { PROXY_HEADER } from "../../lib/http/proxy.ts";

/** Returns the header by which commands pass for the proxy; nothing without PROXY_SECRET. */
export const proxyHeaders = (): Record<string, string> => {
  const { PROXY_SECRET = "" } = process.env;
  return PROXY_SECRET === "" ? {} : { [PROXY_HEADER]: PROXY_SECRET.trim() };
};
