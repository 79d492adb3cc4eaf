/** Answers as `Response`s, for h3 and for callers within the process. */
import { STATUS_CODES } from "node:http";
import { FastResponse } from "srvx";
import type { Answer } from "../engine/response.ts";

/** A `Response` of which the server sends {@link answer}, with its headers in their order and spelling. */
export class AnswerResponse extends FastResponse {
  readonly answer: Answer;

  constructor(answer: Answer) {
    const { status, headers, body } = answer;
    const pairs: [string, string][] = [];
    for (let index = 0; index < headers.length; index += 2) {
      pairs.push([headers[index] ?? "", headers[index + 1] ?? ""]);
    }
    super(body, { status, statusText: STATUS_CODES[status] ?? "", headers: pairs });
    this.answer = answer;
  }
}
