/** A fake S3 with the requests that the framework sends. */
import { AwsError, type AwsRequest, type Responses } from "./fakeAws.ts";

interface Stored {
  body: string;
  headers: Record<string, string>;
  at: Date;
}

/** Objects by `/bucket/key`. */
export type Buckets = Map<string, Stored>;

const metadata = (headers: AwsRequest["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith("x-amz-meta-") && typeof value === "string" ? [[name, value]] : [],
    ),
  );

/** The path of an object and the query of a request. */
const placeOf = ({ action }: AwsRequest): { path: string; query: URLSearchParams } => {
  const { pathname, searchParams } = new URL(action.split(" ")[2] ?? "/", "http://s3");
  return { path: decodeURIComponent(pathname), query: searchParams };
};

/** Responses for buckets. */
export const s3Responses = (buckets: Buckets): Responses => {
  const listing = (request: AwsRequest, list: string, entry: string): Response => {
    const { path, query } = placeOf(request);
    const start = `${path.replace(/\/$/, "")}/`;
    const entries = [...buckets]
      .filter(([key]) => key.startsWith(start + (query.get("prefix") ?? "")))
      .map(([key, { at }]) => {
        const fields = `<Key>${key.slice(start.length)}</Key><LastModified>${at.toISOString()}</LastModified>`;
        return `<${entry}>${fields}<VersionId>null</VersionId><Size>1</Size></${entry}>`;
      });
    return new Response(`<${list}><IsTruncated>false</IsTruncated>${entries.join("")}</${list}>`);
  };
  return [
    [
      /^s3 POST .*[?&]delete/,
      (body: string, request) => {
        const bucket = placeOf(request).path.replace(/\/$/, "");
        for (const [, key] of body.matchAll(/<Key>([^<]+)<\/Key>/g)) buckets.delete(`${bucket}/${key}`);
        return new Response("<DeleteResult></DeleteResult>");
      },
    ],
    [
      /^s3 HEAD \/[^/?]+\/?(\?|$)/,
      () => new Response("", { headers: { "x-amz-bucket-region": "eu-central-1" } }),
    ],
    [/^s3 GET .*[?&]versions/, (_, request) => listing(request, "ListVersionsResult", "Version")],
    [/^s3 GET .*list-type=2/, (_, request) => listing(request, "ListBucketResult", "Contents")],
    [
      /^s3 (GET|HEAD) /,
      (_, request) => {
        const found = buckets.get(placeOf(request).path);
        if (found === undefined) throw new AwsError("NoSuchKey", "no such key", 404);
        return new Response(found.body, { headers: found.headers });
      },
    ],
    [
      /^s3 PUT /,
      (body: string, request) => {
        buckets.set(placeOf(request).path, { body, headers: metadata(request.headers), at: new Date() });
        return new Response("", { headers: { etag: '"0"' } });
      },
    ],
  ];
};
