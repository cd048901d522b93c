/**
 * The map in which the AWS SDK keeps discovered endpoints, in bundles in place of a package with data structures. Endpoint
 * discovery is off, so it stays empty.
 */
export default class EndpointMap extends Map<string, unknown> {
  /** @param _capacity the most entries. A map would take it for its entries. */
  constructor(_capacity: number) {
    super();
  }

  peek(key: string): unknown {
    return this.get(key);
  }
}
