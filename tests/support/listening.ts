/** Where processes of this machine listen, as Linux knows it. */
import { readdir, readFile, readlink } from "node:fs/promises";
import type { Address } from "../../scripts/cli/ports.ts";

const LISTENS = "0A";

/** An IPv4 address and a port as `/proc/net/tcp` writes them: hexadecimal, the bytes of the address in reverse. */
const addressOf = (local: string): Address => {
  const [host = "", port = ""] = local.split(":");
  const bytes = host.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  return { host: bytes.toReversed().join("."), port: Number.parseInt(port, 16) };
};

/** The addresses at which these processes listen for TCP. */
export const listeningAddresses = async (pids: readonly number[]): Promise<Address[]> => {
  const own = new Set<string>();
  for (const pid of pids) {
    for (const fd of await readdir(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
      own.add(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "");
    }
  }
  const addresses: Address[] = [];
  for (const table of ["tcp", "tcp6"]) {
    const lines = (await readFile(`/proc/net/${table}`, "utf8")).trim().split("\n").slice(1);
    for (const line of lines) {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      if (state === LISTENS && own.has(inode)) addresses.push(addressOf(local));
    }
  }
  return addresses;
};
