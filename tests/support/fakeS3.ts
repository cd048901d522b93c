/** A fake S3 with the requests that the framework sends. */
import { AwsError, type AwsRequest, type Responses, RestResponse } from "./fakeAws.ts";

interface Stored {
  body: string;
  headers: Record<string, string>;
  at: Date;
}

/** Objects by `/bucket/key`. */
export type Buckets = Map<string, Stored>;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

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

/** Responses for buckets. The content of multipart uploads is not kept. */
export const s3Responses = (buckets: Buckets): Responses => {
  const uploads = new Map<string, Stored>();
  const put = (path: string, body: string, headers: Record<string, string>): RestResponse => {
    buckets.set(path, { body, headers, at: new Date() });
    return new RestResponse("", { etag: '"0"' });
  };
  const listing = (request: AwsRequest, list: string, entry: string): RestResponse => {
    const { path, query } = placeOf(request);
    const start = `${path.replace(/\/$/, "")}/`;
    const entries = [...buckets]
      .filter(([key]) => key.startsWith(start + (query.get("prefix") ?? "")))
      .map(([key, { at }]) => {
        const fields = `<Key>${escaped(key.slice(start.length))}</Key><LastModified>${at.toISOString()}</LastModified>`;
        return `<${entry}>${fields}<VersionId>null</VersionId><Size>1</Size></${entry}>`;
      });
    return new RestResponse(`<${list}><IsTruncated>false</IsTruncated>${entries.join("")}</${list}>`);
  };
  return [
    [
      /^s3 POST .*[?&]uploads/,
      (_, request) => {
        const { path } = placeOf(request);
        uploads.set(path, { body: "", headers: metadata(request.headers), at: new Date() });
        const id = "<UploadId>1</UploadId>";
        return new RestResponse(`<InitiateMultipartUploadResult>${id}</InitiateMultipartUploadResult>`);
      },
    ],
    [/^s3 PUT .*partNumber=/, () => new RestResponse("", { etag: '"0"' })],
    [
      /^s3 POST .*uploadId=/,
      (_, request) => {
        const { path } = placeOf(request);
        put(path, "", uploads.get(path)?.headers ?? {});
        return new RestResponse(
          `<CompleteMultipartUploadResult><ETag>"0"</ETag></CompleteMultipartUploadResult>`,
        );
      },
    ],
    [
      /^s3 POST .*[?&]delete/,
      (body: string, request) => {
        const { path } = placeOf(request);
        for (const [, key] of body.matchAll(/<Key>([^<]+)<\/Key>/g)) {
          buckets.delete(`${path.replace(/\/$/, "")}/${key}`);
        }
        return new RestResponse("<DeleteResult></DeleteResult>");
      },
    ],
    [/^s3 HEAD \/[^/?]+\/?(\?|$)/, () => new RestResponse("", { "x-amz-bucket-region": "eu-central-1" })],
    [
      /^s3 GET .*[?&]location/,
      () => new RestResponse("<LocationConstraint>eu-central-1</LocationConstraint>"),
    ],
    [/^s3 GET .*[?&]versions/, (_, request) => listing(request, "ListVersionsResult", "Version")],
    [/^s3 GET .*list-type=2/, (_, request) => listing(request, "ListBucketResult", "Contents")],
    [
      /^s3 (GET|HEAD) /,
      (_, request) => {
        const found = buckets.get(placeOf(request).path);
        if (found === undefined) throw new AwsError("NoSuchKey", "no such key", 404);
        return new RestResponse(request.action.startsWith("s3 HEAD") ? "" : found.body, found.headers);
      },
    ],
    [/^s3 PUT /, (body: string, request) => put(placeOf(request).path, body, metadata(request.headers))],
  ];
};
