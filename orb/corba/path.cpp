#include "path.hpp"

// clang-format off: headers of omniORB's inside, in the order in which they need one another
#include <omniORB4/CORBA.h>
#include <omniORB4/internal/giopStream.h>
#include <omniORB4/internal/giopStrand.h>
#include <omniORB4/internal/GIOP_S.h>
#include <omniORB4/omniInterceptors.h>
// clang-format on

#include <algorithm>
#include <cstring>

#include "harness/clock.hpp"

namespace modelstress {

namespace {
constexpr CORBA::ULong CONTEXT = 0x4d535031;  // of this benchmark alone: no vendor has the number
constexpr int SERVER_POINTS = ANSWERED - ARRIVED + 1;
using ServerStamps = std::array<std::int64_t, SERVER_POINTS>;
using Interceptors = omni::omniInterceptors;

/** The request that a thread of the server has in its hands. */
struct Request {
  bool wanted = false;
  int depth = 0;  // of works
  ServerStamps stamps{};
};

thread_local Path* path = nullptr;
thread_local Request request;

void add(IOP::ServiceContextList& contexts, const void* data, CORBA::ULong size) {
  const CORBA::ULong place = contexts.length();
  contexts.length(place + 1);
  contexts[place].context_id = CONTEXT;
  contexts[place].context_data.length(size);
  std::memcpy(contexts[place].context_data.get_buffer(), data, size);
}

const IOP::ServiceContext* find(const IOP::ServiceContextList& contexts) {
  for (CORBA::ULong i = 0; i < contexts.length(); i++) {
    if (contexts[i].context_id == CONTEXT) return &contexts[i];
  }
  return nullptr;
}

CORBA::Boolean send_request(Interceptors::clientSendRequest_T::info_T& info) {
  if (!path) return true;
  const char wish = 1;
  add(info.service_contexts, &wish, sizeof wish);
  path->stamps[SENT] = now_ns();
  return true;
}

CORBA::Boolean receive_reply(Interceptors::clientReceiveReply_T::info_T& info) {
  if (!path) return true;
  path->stamps[RECEIVED] = now_ns();
  const IOP::ServiceContext* found = find(info.service_contexts);
  if (!found || found->context_data.length() != sizeof(ServerStamps)) return true;
  std::memcpy(&path->stamps[ARRIVED], found->context_data.get_buffer(), sizeof(ServerStamps));
  return true;
}

CORBA::Boolean receive_request(Interceptors::serverReceiveRequest_T::info_T& info) {
  request.wanted = find(info.giop_s.service_contexts()) != nullptr;
  request.depth = 0;
  request.stamps = {};
  if (request.wanted) request.stamps[0] = now_ns();
  return true;
}

CORBA::Boolean send_reply(Interceptors::serverSendReply_T::info_T& info) {
  if (!request.wanted) return true;
  request.wanted = false;
  request.stamps[ANSWERED - ARRIVED] = now_ns();
  add(info.giop_s.service_contexts(), request.stamps.data(), sizeof(ServerStamps));
  return true;
}
}  // namespace

std::vector<std::string> path_parts() {
  return {"stub", "request", "dispatch", "work", "finish", "reply", "return"};
}

void stamp_calls() {
  auto* interceptors = omniORB::getInterceptors();
  interceptors->clientSendRequest.add(send_request);
  interceptors->clientReceiveReply.add(receive_reply);
}

void stamp_requests() {
  auto* interceptors = omniORB::getInterceptors();
  interceptors->serverReceiveRequest.add(receive_request);
  interceptors->serverSendReply.add(send_reply);
}

Path::Path() { path = this; }

Path::~Path() { path = nullptr; }

void Path::begin() {
  stamps.fill(0);
  stamps[BEGIN] = now_ns();
}

void Path::end() {
  stamps[END] = now_ns();
  calls_++;
  whole_ = whole_ && stamps[BEGIN] > 0 && std::is_sorted(stamps.begin(), stamps.end());
  for (int i = 0; i < POINTS - 1; i++) {
    const auto place = static_cast<std::size_t>(i);
    sums_[place] += stamps[place + 1] - stamps[place];
  }
}

std::vector<std::int64_t> Path::parts() const {
  if (!whole_ || calls_ == 0) return {};
  return {sums_.begin(), sums_.end()};
}

Work::Work() {
  if (request.wanted && request.depth++ == 0) request.stamps[WORK_BEGIN - ARRIVED] = now_ns();
}

Work::~Work() {
  if (request.wanted && --request.depth == 0) request.stamps[WORK_END - ARRIVED] = now_ns();
}

}  // namespace modelstress
