/** The transcripts of the route table. Runs alone: they set the clock, and take long. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts("lists.md", "routes.md", "reloading.md", "routes-test.md");
