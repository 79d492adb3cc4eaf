/** The transcripts of usage, settings, completion, and `serve`. Runs alone: they set the clock, and take long. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts("usage.md", "settings.md", "completion.md", "serving.md");
