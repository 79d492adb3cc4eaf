/** The transcripts of usage, settings, completion, and `serve`. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts("usage.md", "settings.md", "completion.md", "serving.md");
