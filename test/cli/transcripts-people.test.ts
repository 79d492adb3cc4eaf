/** The transcripts of players, members, tokens. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts(
  "players.md",
  "members.md",
  "exclusion.md",
  "ends.md",
  "renaming.md",
  "roster.md",
  "tokens.md",
  "invitations.md",
  "access.md",
  "calls.md",
);
