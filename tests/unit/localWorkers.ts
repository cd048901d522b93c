/** What the tests of the local queue and of the local stream share. */
export const REGION = "eu-central-1";
export const TABLE = "a-game";
export const credentials = { accessKeyId: "local", secretAccessKey: "local" };

/** A worker with these responses, and the events of its calls. */
export const workerOf = <Event>(respond: (event: Event, call: number) => unknown = () => null) => {
  const events: Event[] = [];
  const invoke = async (event: unknown): Promise<unknown> => {
    // Lambda serializes it to JSON too.
    const given: Event = JSON.parse(JSON.stringify(event));
    events.push(given);
    return respond(given, events.length);
  };
  return { invoke, events };
};
