// The command that prints a link where no mail is sent, as the operator has to type it.

import { Code } from '../components/parts.tsx';
import { shellText } from '../formats.ts';

export function LinkCommand({ email }: { readonly email: string }) {
  return (
    <>
      <p>If that is you, type this in the folder of the program, with the settings of the service:</p>
      <Code
        label="The command that prints the link"
        text={`npx domesday people link ${shellText(email)}`}
        copy="the command"
      />
    </>
  );
}
