package org.modelstress.thrift.server;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;

/**
 * Turns requests away that a web page in somebody's browser can make, but no client of the API
 * does. A page can send a POST to any address, though not with this Content-Type unless the server
 * agrees, which it never does; and a page whose own name is made to lead here (DNS rebinding) says
 * that name as Host.
 */
final class Gatekeeper {
  private static final String THRIFT = "application/x-thrift";

  /** An IPv4 address, or an IPv6 address in brackets: no name that could lead elsewhere. */
  private static final Pattern ADDRESS =
      Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.%]+]");

  private final Set<String> names = new TreeSet<>();

  /** Why a request is turned away. */
  record Refusal(int status, String sentence) {}

  /** Knows the address that the server is bound to and other names that lead to it. */
  Gatekeeper(String bound, List<String> hostNames) {
    names.add("localhost");
    names.add(bound.toLowerCase(Locale.ROOT));
    hostNames.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
  }

  /** Null for a request that may come in. */
  Refusal refusal(Request request) {
    if (!HttpMethod.POST.is(request.getMethod())) {
      return new Refusal(HttpStatus.METHOD_NOT_ALLOWED_405, "a Thrift request is a POST");
    }
    String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    if (type == null || !THRIFT.equalsIgnoreCase(type.split(";", 2)[0].strip())) {
      return new Refusal(
          HttpStatus.UNSUPPORTED_MEDIA_TYPE_415, "the Content-Type of a request is " + THRIFT);
    }
    if (request.getHeaders().contains(HttpHeader.CONTENT_ENCODING)) {
      return new Refusal(HttpStatus.UNSUPPORTED_MEDIA_TYPE_415, "requests are not compressed");
    }
    HttpURI uri = request.getHttpURI();
    if (uri.getHost() != null && !isOurs(uri.getHost())) {
      return new Refusal(
          HttpStatus.MISDIRECTED_REQUEST_421,
          "Host is no name of this server: use its address, or name it in the option host_names");
    }
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    if (origin != null && !origin.equalsIgnoreCase("http://" + uri.getAuthority())) {
      return new Refusal(HttpStatus.FORBIDDEN_403, "requests of other web sites are refused");
    }
    return null;
  }

  private boolean isOurs(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return names.contains(lower) || ADDRESS.matcher(lower).matches();
  }
}
