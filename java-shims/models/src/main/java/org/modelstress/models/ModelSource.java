package org.modelstress.models;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.eclipse.emf.ecore.EObject;

/**
 * A model file as it was at one moment.
 *
 * @param root of the model in it
 * @param sha256 of its bytes, hexadecimal
 */
public record ModelSource(EObject root, String sha256) {
  /**
   * Reads a model file.
   *
   * @throws ModelException if it is missing, not understood or changing; one sentence
   */
  public static ModelSource read(Path file) throws ModelException {
    String before = sha256(file);
    EObject root = ModelFiles.load(file);
    if (!sha256(file).equals(before)) {
      throw new ModelException("Model " + file + " changed while it was read; try again.");
    }
    return new ModelSource(root, before);
  }

  /**
   * Hash of a file's bytes, hexadecimal.
   *
   * @throws ModelException if the file cannot be read
   */
  private static String sha256(Path file) throws ModelException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new ModelException("Model " + file + " cannot be read: " + e + ".", e);
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
