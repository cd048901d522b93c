/** A fake S3: the buckets of fauxqs, whose lists have short pages. */
import { buildApp } from "fauxqs";
// The package does not export these files, as in scripts/local/queue.ts.
import { S3Store } from "../../node_modules/fauxqs/dist/s3/s3Store.js";
import { SnsStore } from "../../node_modules/fauxqs/dist/sns/snsStore.js";
import { SqsStore } from "../../node_modules/fauxqs/dist/sqs/sqsStore.js";
import type { AwsRequest, Responses } from "./fakeAws.ts";

/**
 * Buckets and their objects. fauxqs 2.4.1 sorts keys by language, and continues a list by their code units, so it leaves
 * out objects at the end of a page. S3 sorts by bytes, which are the code units of our keys.
 */
class SortedStore extends S3Store {
  override listObjects(...[bucket, options = {}]: Parameters<S3Store["listObjects"]>) {
    const { prefix = "", maxKeys = 1_000, startAfter = options.marker ?? "" } = options;
    const all = super
      .listObjects(bucket, { prefix, maxKeys: Number.POSITIVE_INFINITY })
      .objects.filter(({ key }) => key > startAfter)
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    return { objects: all.slice(0, maxKeys), commonPrefixes: [], isTruncated: all.length > maxKeys };
  }
}
export type Buckets = S3Store;

/** Makes an account without buckets. */
export const makeBuckets = (): Buckets => new SortedStore();

/**
 * The objects in a page of a list. AWS sends at most 1,000; a deployment has fewer, so its lists would never be continued.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
const PAGE = 40;

/** The paths `/bucket/key` of all objects. */
export const pathsIn = (buckets: Buckets): string[] =>
  buckets
    .listBuckets()
    .flatMap(({ name }) =>
      buckets.listObjects(name, { maxKeys: 1e6 }).objects.map(({ key }) => `/${name}/${key}`),
    );

/** The content of an object; `undefined` if there is none. @param path `/bucket/key` */
export const contentOf = (buckets: Buckets, path: string): Buffer | undefined => {
  const [, bucket = "", key = ""] = /^\/([^/]+)\/(.*)$/.exec(path) ?? [];
  try {
    return buckets.getObject(bucket, key).body;
  } catch {
    return undefined;
  }
};

/** Responses for buckets. */
export const s3Responses = (s3Store: Buckets): Responses => {
  const app = buildApp({
    logger: false,
    stores: { s3Store, sqsStore: new SqsStore(), snsStore: new SnsStore() },
  });
  const respond = async (_: unknown, { action, headers, body }: AwsRequest): Promise<Response> => {
    const [, method = "GET", url = "/"] = action.split(" ");
    const isList = method === "GET" && url.includes("list-type=2") && !url.includes("max-keys=");
    const response = await app.inject({
      // The framework's type has these methods as literals.
      method: method as "GET",
      url: isList ? `${url}&max-keys=${PAGE}` : url,
      headers,
      payload: body,
    });
    const { "content-length": _length, connection: _connection, ...rest } = response.headers;
    const kept = Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]);
    const isEmpty = method === "HEAD" || response.statusCode === 204;
    return new Response(isEmpty ? null : new Uint8Array(response.rawPayload), {
      status: response.statusCode,
      headers: kept,
    });
  };
  return [[/^s3 /, respond]];
};
