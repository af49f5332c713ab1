import { isSensitiveName } from '#model';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that programs do not inherit, whose values are no secrets. */
const harmless = /^AWS_(?:.*PROFILE|.*REGION|.*OUTPUT|PAGER|.*_FILE|CA_BUNDLE|SDK_.*|EC2_.*)$/;

/** Returns the values of the variables of an environment whose names look like secrets. */
export const secretValues = (variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, value]) => {
    const isSecret = value !== undefined && isSensitiveName(name) && !harmless.test(name);
    return isSecret ? [value] : [];
  });
