/** The transcripts of the route table. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts("lists.md", "routes.md", "reloading.md", "routes-test.md");
